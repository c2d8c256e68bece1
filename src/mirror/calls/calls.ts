/** The calls that a process with an open folder answers for other processes. Each is loaded on demand. */
import type { Call } from './call.ts'

type SentCall = Pick<Call<never, unknown>, 'runSent'>

const calls: Readonly<Record<string, () => Promise<SentCall>>> = {
  query: async () => (await import('./query.ts')).queryCall,
  status: async () => (await import('./status.ts')).statusCall,
  'event-status': async () => (await import('./status.ts')).eventStatusCall,
  tables: async () => (await import('../query/describe-schema.ts')).tablesCall,
  runs: async () => (await import('./runs.ts')).runsCall,
  rejects: async () => (await import('./rejects.ts')).rejectsCall,
  'accept-rejects': async () => (await import('./accept-rejects.ts')).acceptRejectsCall,
  keys: async () => (await import('../keys/keys.ts')).keysCall,
  'create-key': async () => (await import('../keys/keys.ts')).createKeyCall,
  links: async () => (await import('../keys/links.ts')).linksCall,
  'create-link': async () => (await import('../keys/links.ts')).createLinkCall,
  'revoke-link': async () => (await import('../keys/keys.ts')).revokeLinkCall,
  observations: async () => (await import('../observations/open-questions.ts')).observationsCall,
  accounts: async () => (await import('../accounts/list.ts')).accountsCall,
  events: async () => (await import('../answers/events.ts')).eventsCall,
  event: async () => (await import('../answers/event.ts')).eventCall,
  who: async () => (await import('../answers/who.ts')).whoCall,
  person: async () => (await import('../persons/show.ts')).personCall,
  changes: async () => (await import('../answers/changes.ts')).changesCall,
  digest: async () => (await import('../answers/digest/digest-call.ts')).digestCall,
  'prepare-digests': async () => (await import('../deliveries/prepare-digests.ts')).prepareDigestsCall,
  'prepare-notices': async () => (await import('../deliveries/prepare-notices.ts')).prepareNoticesCall,
  'settle-deliveries': async () => (await import('../deliveries/settle.ts')).settleDeliveriesCall,
  report: async () => (await import('../answers/report/report-call.ts')).reportCall,
  'foreign-keys': async () => (await import('../accounts/foreign-keys.ts')).foreignKeysCall,
  thin: async () => (await import('../answers/thin.ts')).thinCall,
  'revoke-key': async () => (await import('../keys/keys.ts')).revokeKeyCall,
  'rsvp-meanings': async () => (await import('../owner-tables/rsvp-meanings.ts')).rsvpMeaningsCall,
  'set-rsvp-meaning': async () => (await import('../owner-tables/rsvp-meanings.ts')).setRsvpMeaningCall,
  'remove-rsvp-meaning': async () => (await import('../owner-tables/rsvp-meanings.ts')).removeRsvpMeaningCall,
  'slot-targets': async () => (await import('../owner-tables/slot-targets.ts')).slotTargetsCall,
  'set-slot-target': async () => (await import('../owner-tables/slot-targets.ts')).setSlotTargetCall,
  'remove-slot-target': async () => (await import('../owner-tables/slot-targets.ts')).removeSlotTargetCall,
  'set-account': async () => (await import('../accounts/set-time-zone.ts')).setAccountCall,
}

/** Null when there is none of this name. */
export async function loadCall(name: string): Promise<SentCall | null> {
  const load = Object.hasOwn(calls, name) ? calls[name] : undefined
  return load === undefined ? null : load()
}
