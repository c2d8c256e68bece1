import { UsageError } from '../../common/errors.ts'

/**
 * A choice of so many at random, in their order; of all when no number is given.
 *
 * @throws UsageError unless the number is a whole one from 1.
 */
export function createSampler({
  sample,
  random = Math.random,
}: {
  readonly sample?: number
  readonly random?: () => number
}): <Item>(items: readonly Item[]) => readonly Item[] {
  if (sample === undefined) return (items) => items
  if (!Number.isInteger(sample) || sample < 1) {
    throw new UsageError(`The option \`sample\` must be a whole number from 1, not ${sample}.`)
  }
  return (items) => choose(items, sample, random)
}

/** Each item is taken with the chance that fills what is left of the sample from what is left of the items. */
function choose<Item>(items: readonly Item[], sample: number, random: () => number): readonly Item[] {
  let wanted = sample
  return items.filter((_, index) => {
    const isTaken = random() * (items.length - index) < wanted
    if (isTaken) wanted -= 1
    return isTaken
  })
}
