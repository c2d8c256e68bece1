import { hash } from 'node:crypto'
import fresh from 'fresh'
import type { Coding } from './content-encoding.ts'
import type { Standing, Window } from '../stores/store.ts'
import { textOf } from './pagination.ts'

/** To be raised with every change in how a list is made of its items (lists.ts): the same items have other bytes then. */
const SERIALISER_VERSION = 1

/** Another zlib may compress the same to other bytes. */
const FORMS: Readonly<Record<Coding, string>> = {
  identity: 'identity',
  gzip: `gzip of zlib ${process.versions.zlib}`,
}

/** The entity-tag (RFC 9110, 8.8.3) of a list in one form. */
export function etagOf({ version }: Standing, window: Window, coding: Coding): string {
  const named = JSON.stringify([version, SERIALISER_VERSION, textOf(window), FORMS[coding]])
  return `"${hash('sha256', named, 'base64url').slice(0, 27)}"`
}

/** Whether the client has this form already, by its `If-None-Match`. */
export function hasAlready(headers: Readonly<Record<string, string | undefined>>, etag: string): boolean {
  return fresh(headers, { etag })
}
