/** Wraps a callback so that its own errors are ignored: no response may fail because of them. */
export function safeCallback<Value>(listener: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      listener(value)
    } catch {
      // There is nobody else to report it to.
    }
  }
}
