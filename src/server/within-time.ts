/**
 * The answer; what `late` gives, or throws, when it takes longer.
 *
 * @param late is called once, after so many milliseconds
 */
export async function withinTime<T>(answer: Promise<T>, ms: number, late: () => T): Promise<T> {
  const instead = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    try {
      instead.resolve(late())
    } catch (error) {
      instead.reject(error)
    }
  }, ms)
  try {
    return await Promise.race([answer, instead.promise])
  } finally {
    clearTimeout(timer)
  }
}
