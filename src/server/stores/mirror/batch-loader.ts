/** Batches concurrent lookups into one statement: thirty cost about as much as one. */
import { setImmediate } from 'node:timers/promises'
import { RETRY_SOON_SECONDS, UnavailableError } from '../../problems.ts'

interface Waiting<Question, Answer> {
  readonly question: Question
  readonly answer: PromiseWithResolvers<Answer>
}

const MAX_BATCH = 500
/** A limit for the time in which the database does not answer: clients then give up and retry. */
const MAX_WAITING = 20_000

/**
 * Collects lookups while the previous statement is running.
 *
 * @param askAll returns the results in the order of the lookups
 * @returns a function for one lookup; it throws UnavailableError when too many wait already
 */
export function createBatchLoader<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  const waiting: Waiting<Question, Answer>[] = []
  let isAsking = false

  async function askWaiting(): Promise<void> {
    isAsking = true
    // Lookups of other connections that are readable at this moment join the batch.
    await setImmediate()
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
        RETRY_SOON_SECONDS,
        'too much is asked at once: try again later',
      )
    }
    const answer = Promise.withResolvers<Answer>()
    waiting.push({ question, answer })
    if (!isAsking) void askWaiting()
    return answer.promise
  }
}
