/** What the requests of a run say of its second readings. */
import type { ReadOnce } from './absences.ts'
import { endOf } from './lists.ts'
import { unitOf } from './mirror.ts'
import type { Mirror } from './mirror.ts'
import type { Heard } from '../service/service.ts'

/** Requests until the first second reading. */
export function requestsOf(heard: readonly Heard[]): number {
  const isSecond = ({ subject }: Heard) => subject.startsWith('again')
  const first = heard.some(isSecond) ? heard.slice(0, heard.findIndex(isSecond)) : heard
  return first.reduce((sum, { end, pages }) => sum + (end === 'answered' ? pages : 1), 0)
}

/** What the first reading of this list left unsure, if it was looked into. */
export function unsureOf(after: Mirror, heard: readonly Heard[], id: string): readonly ReadOnce[] {
  const { facts } = unitOf(after, id)
  const end = endOf(heard, `/${id}`)
  if (facts === null || end === undefined) return []
  return [{ id, pages: end.pages, unsure: facts.unconfirmed.size }]
}

/** In the order in which they were answered the second time. */
export function inOrderAgain(ids: ReadonlySet<string>, heard: readonly Heard[]): readonly string[] {
  const place = (id: string) => heard.findLastIndex(({ subject }) => subject === `again/${id}`)
  return [...ids].toSorted((a, b) => place(a) - place(b))
}
