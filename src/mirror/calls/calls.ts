/** All that a process with a folder open does for others: exactly these calls. Each is loaded when it is asked for. */
import type { Call } from './call.ts'

type SentCall = Pick<Call<never, unknown>, 'runSent'>

const calls: Readonly<Record<string, () => Promise<SentCall>>> = {
  query: async () => (await import('./query.ts')).queryCall,
  status: async () => (await import('./status.ts')).statusCall,
  'event-status': async () => (await import('./status.ts')).eventStatusCall,
  tables: async () => (await import('./tables.ts')).tablesCall,
  runs: async () => (await import('./runs.ts')).runsCall,
  rejects: async () => (await import('./rejects.ts')).rejectsCall,
  'accept-rejects': async () => (await import('./accept-rejects.ts')).acceptRejectsCall,
  keys: async () => (await import('./keys.ts')).keysCall,
  'create-key': async () => (await import('./keys.ts')).createKeyCall,
  'revoke-key': async () => (await import('./keys.ts')).revokeKeyCall,
}

/** Null when there is none of this name. */
export async function loadCall(name: string): Promise<SentCall | null> {
  const load = Object.hasOwn(calls, name) ? calls[name] : undefined
  return load === undefined ? null : load()
}
