import { hash } from 'node:crypto'
import fresh from 'fresh'
import type { ContentEncoding } from './content-encoding.ts'
import type { ListVersion, PageRequest } from '../stores/store.ts'
import { toQuery } from './pagination.ts'

/** Raise it with every change of the serialisation of lists (serialise-items.ts): equal items then have other bytes. */
const SERIALISER_VERSION = 1

/** Another version of zlib may produce other bytes. */
const ENCODING_VERSIONS: Readonly<Record<ContentEncoding, string>> = {
  identity: 'identity',
  gzip: `gzip of zlib ${process.versions.zlib}`,
}

/** The entity tag (RFC 9110, 8.8.3) of one representation of a list. */
export function etagOf({ version }: ListVersion, page: PageRequest, encoding: ContentEncoding): string {
  const named = JSON.stringify([version, SERIALISER_VERSION, toQuery(page), ENCODING_VERSIONS[encoding]])
  return `"${hash('sha256', named, 'base64url').slice(0, 27)}"`
}

/** Headers of a request that decide in which form a body is sent, and whether one is. */
export type NegotiationHeaders = Readonly<
  Record<'if-none-match' | 'accept-encoding' | 'accept', string | undefined>
>

/** Whether `If-None-Match` has the tag. `Cache-Control` of a request speaks to caches (RFC 9111, 5.2.1); fetch adds no-cache to each one with a condition. */
export function isFresh(headers: NegotiationHeaders, etag: string): boolean {
  return fresh({ 'if-none-match': headers['if-none-match'] }, { etag })
}
