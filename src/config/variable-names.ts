import { didYouMean } from '../common/text/did-you-mean.ts'
import type { Environment } from './secrets.ts'

const prefix = 'HEADCOUNT_'
/** The variables that are read and have a name of other programs too. */
const withoutPrefixNames = ['DATABASE_URL', 'DATABASE_URL_FILE', 'NO_COLOR']

/**
 * Kubernetes gives every container variables for each service of its namespace; a service called `headcount`
 * or `headcount-health` makes names that begin like ours.
 */
const serviceNames = [
  /^HEADCOUNT_(?:.+_)?SERVICE_HOST$/,
  /^HEADCOUNT_(?:.+_)?SERVICE_PORT(?:_.+)?$/,
  /^HEADCOUNT_(?:.+_)?PORT_\d+_(?:TCP|UDP|SCTP)(?:_.+)?$/,
]
const serviceAddress = /^(?:tcp|udp|sctp):\/\//

/** The environment without what Kubernetes made, even where it made one of our own names. */
export function withoutServiceLinks(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name, value]) => !isServiceLink(name, value ?? ''))
  return Object.fromEntries(own)
}

function isServiceLink(name: string, value: string): boolean {
  if (serviceNames.some((form) => form.test(name))) return true
  return /^HEADCOUNT_(?:.+_)?PORT$/.test(name) && serviceAddress.test(value)
}

/** A fault for each variable that begins like ours and is none of ours. */
export function unknownVariables(environment: Environment, known: readonly string[]): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .sort()
    .map((name) => `${name} is no setting of headcount${suggestion(name, known)}`)
}

function suggestion(name: string, known: readonly string[]): string {
  const withoutPrefix = name.slice(prefix.length)
  const whole = [withoutPrefix, `${prefix}API_${withoutPrefix}`]
  const meant = [...withoutPrefixNames, ...known].find((candidate) => whole.includes(candidate))
  return meant === undefined ? didYouMean(name, known) : ` (did you mean ${meant}?)`
}
