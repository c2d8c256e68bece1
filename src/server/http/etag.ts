import { hash } from 'node:crypto'
import fresh from 'fresh'
import type { ContentEncoding } from './content-encoding.ts'
import type { ListVersion, PageRequest } from '../stores/store.ts'
import { toQuery } from './pagination.ts'

/** To be raised with every change in how a list is made of its items (lists.ts): the same items have other bytes then. */
const SERIALISER_VERSION = 1

/** Another zlib may compress the same to other bytes. */
const ENCODING_VERSIONS: Readonly<Record<ContentEncoding, string>> = {
  identity: 'identity',
  gzip: `gzip of zlib ${process.versions.zlib}`,
}

/** The entity-tag (RFC 9110, 8.8.3) of a list in one form. */
export function etagOf({ version }: ListVersion, page: PageRequest, encoding: ContentEncoding): string {
  const named = JSON.stringify([version, SERIALISER_VERSION, toQuery(page), ENCODING_VERSIONS[encoding]])
  return `"${hash('sha256', named, 'base64url').slice(0, 27)}"`
}

/** Whether the client has this form already, by its `If-None-Match`. */
export function isFresh(headers: Readonly<Record<string, string | undefined>>, etag: string): boolean {
  return fresh(headers, { etag })
}
