/** What a program may say of a mirror that no service knows; each as the command of this name does it. */
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import { type SetTimeZone, setAccountCall } from '../accounts/set-time-zone.ts'
import {
  removeRsvpMeaningCall,
  rsvpMeaningsCall,
  setRsvpMeaningCall,
  parseMeaning,
  type ListedRsvpMeaning,
  type RsvpMeanings,
  type SetRsvpMeaning,
} from '../owner-tables/rsvp-meanings.ts'
import {
  removeSlotTargetCall,
  setSlotTargetCall,
  slotTargetsCall,
  MAX_WANTED,
  type ListedSlotTarget,
  type SetSlotTarget,
  type SlotTarget,
} from '../owner-tables/slot-targets.ts'
import type { RsvpMeaning } from '../../common/schema/tables.ts'
import { listInput, type ListOptions } from './inspect.ts'
import { callMirror, type AccountFilter, type MirrorOptions } from './with-mirror.ts'

/**
 * What each value of `rsvp` means, and the values that have no meaning yet, at most `limit`.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function listRsvpMeanings(options: ListOptions): Promise<RsvpMeanings> {
  checkOptions(options)
  return callMirror(options, rsvpMeaningsCall, listInput(options))
}

export interface RemoveRsvpMeaningOptions extends MirrorOptions {
  /** The reply, exactly as the service spells it. */
  readonly value: string
}

export interface SetRsvpMeaningOptions extends RemoveRsvpMeaningOptions {
  readonly meaning: RsvpMeaning
}

/**
 * Says what a reply means, in every account; also one that no response has now.
 *
 * @throws UsageError when it is no such meaning
 */
export async function setRsvpMeaning(options: SetRsvpMeaningOptions): Promise<SetRsvpMeaning> {
  checkOptions(options, 'value', 'meaning')
  const { value, meaning } = options
  return callMirror(options, setRsvpMeaningCall, { value, meaning: parseMeaning(meaning) })
}

/**
 * Takes the meaning of a reply back.
 *
 * @returns what it was
 * @throws UsageError when it has none
 */
export async function removeRsvpMeaning(options: RemoveRsvpMeaningOptions): Promise<ListedRsvpMeaning> {
  checkOptions(options, 'value')
  return callMirror(options, removeRsvpMeaningCall, { value: options.value })
}

/**
 * How many people are wanted in which slots.
 *
 * @throws UsageError when the mirror has no account of this name
 */
export async function listSlotTargets(options: AccountFilter): Promise<readonly ListedSlotTarget[]> {
  checkOptions(options)
  return callMirror(options, slotTargetsCall, { account: options.account ?? null })
}

export interface RemoveSlotTargetOptions extends MirrorOptions {
  /** When not given `default`, or the only one of the mirror. */
  readonly account?: string
  /** The id of an event; every event when not given. */
  readonly event?: string
  /** The name of a slot, exactly; every slot when not given. */
  readonly slot?: string
}

export interface SetSlotTargetOptions extends RemoveSlotTargetOptions {
  /** People wanted. */
  readonly wanted: number
}

/**
 * Says how many people some slots want; also slots that nobody takes now.
 *
 * @throws UsageError when there is no such account; UnknownEventError
 */
export async function setSlotTarget(options: SetSlotTargetOptions): Promise<SetSlotTarget> {
  checkOptions(options, 'wanted')
  const wanted = requireWholeNumber('wanted', options.wanted, 1, MAX_WANTED)
  return callMirror(options, setSlotTargetCall, { ...scopeOf(options), wanted })
}

/**
 * Removes the target with exactly this event and slot.
 *
 * @returns what it was
 * @throws UsageError when there is none
 */
export async function removeSlotTarget(options: RemoveSlotTargetOptions): Promise<SlotTarget> {
  checkOptions(options)
  return callMirror(options, removeSlotTargetCall, scopeOf(options))
}

function scopeOf({ account, event, slot }: RemoveSlotTargetOptions) {
  return { account: account ?? null, event_id: event ?? null, slot_name: slot ?? null }
}

export interface SetAccountOptions extends MirrorOptions {
  readonly account: string
  /** The zone of days and months in the views: a name that the database knows, like `Europe/Berlin`. */
  readonly timeZone: string
}

/**
 * Sets the time zone of an account.
 *
 * @throws UsageError when there is no such account or zone
 */
export async function setAccount(options: SetAccountOptions): Promise<SetTimeZone> {
  checkOptions(options, 'account', 'timeZone')
  const { account, timeZone } = options
  return callMirror(options, setAccountCall, { account, time_zone: timeZone })
}
