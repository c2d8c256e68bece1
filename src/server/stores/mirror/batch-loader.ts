/** Questions that are asked at the same time are asked at once: a statement costs about as much for thirty as for one. */
import { UnavailableError } from '../../problems.ts'

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly answer: PromiseWithResolvers<Answer>
}

/** The most questions in one statement. */
const MAX_BATCH = 500
/** While the database does not answer, those who asked give up, and ask again. */
const MAX_WAITING = 20_000
const RETRY_AFTER_SECONDS = 5

/**
 * Gathers what is asked while the statement before it is under way.
 *
 * @param askAll answers questions in their order
 * @returns what answers one; it throws UnavailableError when too many wait already
 */
export function createBatchLoader<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = []
  let isAsking = false

  async function askWaiting(): Promise<void> {
    isAsking = true
    // What is asked in this very moment, by other connections that had something to read, goes with it.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const asked = waiting.splice(0, MAX_BATCH)
      try {
        const answers = await askAll(asked.map(({ question }) => question))
        if (answers.length !== asked.length) throw new Error('every question has one answer')
        for (const [index, answer] of answers.entries()) asked[index]?.answer.resolve(answer)
      } catch (error) {
        for (const { answer } of asked) answer.reject(error)
      }
    }
    isAsking = false
  }

  return async (question) => {
    if (waiting.length >= MAX_WAITING) {
      throw new UnavailableError(
        'not_ready',
        RETRY_AFTER_SECONDS,
        'too much is asked at once: try again later',
      )
    }
    const answer = Promise.withResolvers<Answer>()
    waiting.push({ question, answer })
    if (!isAsking) void askWaiting()
    return answer.promise
  }
}
