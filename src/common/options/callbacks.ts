/** Callbacks of a program. An async one returns a promise that nobody waits for, and that may fail. */

type Listener<Args extends readonly unknown[]> = ((...args: Args) => unknown) | undefined

/** Leaves out the rejections of a callback; what it throws is thrown. */
export function withoutRejections<Args extends readonly unknown[]>(
  listener: Listener<Args>,
): (...args: Args) => void {
  return (...args) => {
    const returned = listener?.(...args)
    // guard: a callback that rejects
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {})
  }
}

/** Leaves out all errors of a callback: nothing may fail because of them, and there is nobody else to report them to. */
export function safeCallback<Args extends readonly unknown[]>(
  listener: Listener<Args>,
): (...args: Args) => void {
  const call = withoutRejections(listener)
  return (...args) => {
    try {
      call(...args)
    } catch {
      // Left out.
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value
}
