/** Where digests and notices go. */
import { hash } from 'node:crypto'
import { InvalidValueError, quote } from '../../common/parse-values.ts'
import type { RecipientKey } from '../../mirror/deliveries/claims.ts'
import { isLoopback } from '../../common/listen.ts'
import { isUnprotected } from '../../source/url.ts'

export interface MailRecipient {
  readonly kind: 'mail'
  readonly address: string
}

/** A web address is a secret: whoever has it can write there. */
export interface WebRecipient {
  /** `slack`: an incoming webhook; `json`: anything else. */
  readonly kind: 'slack' | 'json'
  readonly url: string
  /** The HTTP proxy that leads there, where one does. */
  readonly proxy?: URL
}

export type ProxyFor = (url: URL) => URL | null

export type Recipient = MailRecipient | WebRecipient

/** As many as one process can tell before its claims end. */
const MAX_RECIPIENTS = 50
const MIN_SECRET_LENGTH = 6
const FORMS = 'mailto:ada@example.org or an address that begins with https://'

/**
 * Recipients between blanks or line ends; one `mailto:` may have several addresses between commas. Each is told apart, once.
 *
 * @param proxyFor the HTTP proxy that leads to a web address
 * @throws InvalidValueError that quotes no web address
 */
export function parseRecipients(text: string, proxyFor: ProxyFor = () => null): readonly Recipient[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const recipients = new Map<string, Recipient>()
  for (const word of words) {
    for (const recipient of parseWord(word, proxyFor))
      recipients.set(recipientKey(recipient).sha256, recipient)
  }
  if (recipients.size === 0) throw new InvalidValueError(`must name a recipient: ${FORMS}`)
  if (recipients.size > MAX_RECIPIENTS)
    throw new InvalidValueError(`must name at most ${MAX_RECIPIENTS} recipients, not ${recipients.size}`)
  return [...recipients.values()]
}

function parseWord(word: string, proxyFor: ProxyFor): readonly Recipient[] {
  if (/^mailto:/i.test(word)) return parseMailto(word.slice('mailto:'.length))
  if (isMailAddress(word)) throw new InvalidValueError(`must be mailto:${word}, not ${word}`)
  const url = /^https?:\/\//i.test(word) ? URL.parse(word) : null
  if (url === null) throw new InvalidValueError(`must be ${FORMS}`)
  // guard: plain http to a recipient
  if (isUnprotected(url))
    throw new InvalidValueError(
      'must begin with https://: plain http would show the address and the message to others',
    )
  if (url.username !== '' || url.password !== '')
    throw new InvalidValueError('must hold no user name or password')
  if (url.hash !== '') throw new InvalidValueError('must have no fragment (the part from "#")')
  const proxy = proxyFor(url)
  return [{ kind: isSlack(url) ? 'slack' : 'json', url: url.href, ...(proxy !== null && { proxy }) }]
}

function parseMailto(list: string): readonly Recipient[] {
  if (list.includes('?'))
    throw new InvalidValueError('must be mailto: with addresses alone, without a subject or another field')
  return list.split(',').map((part) => {
    const address = percentDecoded(part)
    if (!isMailAddress(address))
      throw new InvalidValueError(
        `must have mail addresses after mailto:, like mailto:ada@example.org, not ${quote(address)}`,
      )
    return { kind: 'mail', address }
  })
}

/** Without its percent-encoding; escapes that say nothing stay, and leave the others readable. */
export function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}

/** A plain address: what a mail server would take for a list or a comment is none. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= 254 && /^[^\s@<>()[\],;:\\"\p{Cc}]{1,64}@[^\s@<>()[\],;:\\"\p{Cc}]{1,253}$/u.test(text)
  )
}

/** The form of Slack's incoming webhooks; on this machine, too, for trials. */
function isSlack(url: URL): boolean {
  const isHost = /^hooks\.slack(-gov)?\.com$/.test(url.hostname) || isLoopback(url.hostname)
  return isHost && /^\/services\/[A-Z0-9]+\/[A-Z0-9]+\/\w+$/.test(url.pathname)
}

/** As the mirror knows it, and as it may be shown. */
export function recipientKey(recipient: Recipient | 'stdout'): RecipientKey {
  if (recipient === 'stdout') return { sha256: hash('sha256', 'stdout'), shown: 'stdout' }
  if (recipient.kind === 'mail') {
    const address = `mailto:${recipient.address}`
    // A domain is the same in upper and lower case.
    const sent = address.replace(/@.*$/, (domain) => domain.toLowerCase())
    return { sha256: hash('sha256', sent), shown: address }
  }
  const sha256 = hash('sha256', recipient.url)
  // guard: secret addresses
  return { sha256, shown: `${new URL(recipient.url).origin}/… (${sha256.slice(0, 8)})` }
}

/** What no message and no log may show, as it was written and decoded: the address, and what a server may quote of it. */
export function secretsOf(recipient: Recipient): readonly string[] {
  if (recipient.kind === 'mail') return []
  const { pathname, search, searchParams } = new URL(recipient.url)
  // The host is told.
  if (pathname === '/' && search === '') return []
  const query = search.slice(1)
  // Every address of Slack has it. Of other addresses a word may be the secret.
  const isKnown = (folder: string) => recipient.kind === 'slack' && folder === 'services'
  const folders = pathname.split('/').filter((folder) => !isKnown(folder))
  const values = query.split('&').map((part) => part.slice(part.indexOf('=') + 1))
  const parts = [...folders, ...values, ...searchParams.values()]
  const secrets = [
    recipient.url,
    `${pathname}${search}`,
    pathname,
    query,
    // guard: quoted parts of secret addresses
    ...parts,
  ]
  return [...new Set([...secrets, ...secrets.map(percentDecoded)])].filter(
    (text) => text.length >= MIN_SECRET_LENGTH,
  )
}
