/** Resolves when the work has ended, or after so many ms. @throws what the work throws */
export async function waitAtMost(milliseconds: number, work: PromiseLike<unknown> | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
