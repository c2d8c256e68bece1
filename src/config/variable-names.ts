import { distance } from 'fastest-levenshtein'
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
  return withoutPrefixNames.includes(withoutPrefix)
    ? ` (did you mean ${withoutPrefix}?)`
    : didYouMean(name, known)
}

/** ` (did you mean X?)` for the nearest candidate, or nothing when none is near: at most half of a short word is wrong. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const most = Math.min(3, Math.floor(word.length / 2))
  const near = candidates
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .sort((a, b) => a.steps - b.steps)
    .find(({ candidate, steps }) => steps <= most || (steps <= 6 && candidate.startsWith(word)))
  return near === undefined ? '' : ` (did you mean ${near.candidate}?)`
}
