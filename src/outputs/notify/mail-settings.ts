/** The mail server that takes messages, and who they are from. */
import { InvalidValueError } from '../../common/parse-values.ts'
import { isLoopback, withoutBrackets } from '../../common/listen.ts'
import { isMailAddress } from './recipient.ts'

export interface MailServer {
  readonly host: string
  readonly port: number
  /** `smtps://`: TLS from the first byte on; else STARTTLS. */
  readonly isImplicitTls: boolean
  /** Plain text only to this machine, where nothing crosses a network. */
  readonly isLoopback: boolean
  /** null: it asks for none. */
  readonly login: { readonly user: string; readonly password: string } | null
}

export interface MailSender {
  /** What a mail program shows; empty: the address. */
  readonly name: string
  readonly address: string
}

const EXAMPLE = 'smtp://user:password@mail.example.org:587'

/** @throws InvalidValueError that never quotes the address, which may hold a password */
export function parseMailServer(text: string): MailServer {
  const url = URL.parse(text)
  if (url === null || url.hostname === '' || !/^smtps?:$/.test(url.protocol))
    throw new InvalidValueError(`must be an address like ${EXAMPLE} or smtps://…:465`)
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    throw new InvalidValueError('must have nothing after the port')
  const isImplicitTls = url.protocol === 'smtps:'
  if ((url.username === '') !== (url.password === ''))
    throw new InvalidValueError('must have a user and a password, or neither')
  return {
    host: withoutBrackets(url.hostname),
    port: url.port === '' ? (isImplicitTls ? 465 : 587) : Number(url.port),
    isImplicitTls,
    isLoopback: isLoopback(url.hostname),
    login:
      url.username === '' ? null : { user: decodeLogin(url.username), password: decodeLogin(url.password) },
  }
}

function decodeLogin(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new InvalidValueError('must have user and password percent-encoded: % itself is %25, @ is %40')
  }
}

/** `ada@example.org` or `Headcount <ada@example.org>`. */
export function parseMailSender(text: string): MailSender {
  const [, name = '', address = text.trim()] = /^\s*(.*?)\s*<([^<>]+)>\s*$/.exec(text) ?? []
  if (!isMailAddress(address) || /[\p{Cc}<>]/u.test(name))
    throw new InvalidValueError(
      'must be a mail address like headcount@example.org or Headcount <headcount@example.org>',
    )
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}
