/** The answers of an account in pages of a fixed length: each page is what stands there when it is asked for. */
import type { Account } from './account.ts'
import type { Answer, SeenRequest } from '../http/fault-server.ts'

/** What happens at the service just before a page is answered; `list` is the path of the list, pages count from 1. */
export type BeforePage = (list: string, page: number) => void

/** @param length items on a page; a list that fits on one comes without a Link header */
export function inPages(account: Account, length: number, before: BeforePage = () => {}) {
  return (request: SeenRequest): Answer => {
    const url = new URL(request.path, 'http://localhost')
    const page = Number(url.searchParams.get('page') ?? 1)
    before(url.pathname, page)
    const answer = account.answer({ ...request, path: url.pathname })
    const { body } = answer
    if (!Array.isArray(body)) return answer
    const items = body.slice((page - 1) * length, page * length)
    const hasNext = page * length < body.length
    return hasNext
      ? { body: items, headers: { Link: `<${url.pathname}?page=${page + 1}>; rel="next"` } }
      : { body: items }
  }
}

/** Does something once, before the given page of a list is answered: the list changes between two pages. */
export function once(list: string, page: number, change: () => void): BeforePage {
  let isDone = false
  return (asked, number) => {
    if (isDone || asked !== `/api/v1${list}` || number !== page) return
    isDone = true
    change()
  }
}
