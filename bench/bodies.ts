import type { Account, Version } from './account.ts'

/** Items made into text at a time: a list of a million never stands in memory as one string. */
const ITEMS_PER_PIECE = 1000

export function eventsBody(account: Account): Buffer {
  return bodyOf(Array.from({ length: account.size.events }, (_, place) => account.event(place)))
}

export function responsesBody(account: Account, place: number, version: Version): Buffer {
  return bodyOf(account.responses(place, version))
}

function bodyOf(items: Iterable<object>): Buffer {
  const pieces: Buffer[] = []
  let texts: string[] = []
  const seal = (): void => {
    if (texts.length > 0) pieces.push(Buffer.from((pieces.length > 0 ? ',' : '') + texts.join(',')))
    texts = []
  }
  for (const item of items) {
    texts.push(JSON.stringify(item))
    if (texts.length === ITEMS_PER_PIECE) seal()
  }
  seal()
  return Buffer.concat([Buffer.from('['), ...pieces, Buffer.from(']')])
}
