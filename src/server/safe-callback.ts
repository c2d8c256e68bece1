/** Wraps an error callback so that its own errors are ignored: no response may fail because of them. */
export function safeCallback(listener: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      listener(error)
    } catch {
      // There is nobody else to report it to.
    }
  }
}
