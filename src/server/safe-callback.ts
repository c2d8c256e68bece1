/** Tells a listener what went wrong. When it throws there is nobody else to tell, and no answer may fail for it. */
export function safeCallback(listener: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      listener(error)
    } catch {
      // As said.
    }
  }
}
