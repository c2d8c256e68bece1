import type { AccountShape } from './account.ts'

/** What the service may answer with: the account as it was, or after some of its responses moved on. */
export type Version =
  | 'original'
  /** One response edited in each hundredth event. */
  | 'changed'
  /** One response in a hundred edited, one at least in every list. */
  | 'every'
  /** One response in ten edited, one in twenty deleted. */
  | 'edited'
  /** One response edited in each event to come. */
  | 'active'

export type Fate = 'same' | 'edited' | 'deleted'

type FateOf = (index: number) => Fate

/** What becomes of the responses to the event at this place, by their index; null when its list stays the original's. */
export function fatesIn(version: Version, shape: AccountShape, place: number): FateOf | null {
  return fates[version](shape, place)
}

const fates: Readonly<Record<Version, (shape: AccountShape, place: number) => FateOf | null>> = {
  original: () => null,
  changed: (shape, place) => (place % 100 === 0 ? middleEdited(shape) : null),
  every: everyEdited,
  edited: editedAndDeleted,
  active: (shape, place) => (place < shape.active ? middleEdited(shape) : null),
}

function middleEdited({ responses }: AccountShape): FateOf {
  const middle = Math.floor(responses / 2)
  return (index) => (index === middle ? 'edited' : 'same')
}

function everyEdited({ responses }: AccountShape): FateOf {
  const step = Math.min(responses, 100)
  const middle = Math.floor(step / 2)
  return (index) => (index % step === middle ? 'edited' : 'same')
}

/** Lists that lost rows and are now as long as this look like a page: their deletions would be held (src/sync/deletions/deletion-guard.ts). */
const PAGE_LENGTHS: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1000])

/** So few and so spread that no deletion looks like an outage. */
function editedAndDeleted({ responses }: AccountShape): FateOf {
  const twentieth = Math.floor((responses + 10) / 20)
  const deletions = PAGE_LENGTHS.has(responses - twentieth) ? twentieth - 1 : twentieth
  return (index) => {
    if (index % 20 === 9 && index < deletions * 20) return 'deleted'
    return index % 10 === 3 ? 'edited' : 'same'
  }
}
