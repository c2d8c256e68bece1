/** Wraps a callback so that its own errors are ignored: no response may fail because of them. */
export function safeCallback<Told>(listener: (told: Told) => void): (told: Told) => void {
  return (told) => {
    try {
      listener(told)
    } catch {
      // There is nobody else to report it to.
    }
  }
}
