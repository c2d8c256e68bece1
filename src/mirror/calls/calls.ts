/** The calls that a process with an open folder answers for other processes. Each is loaded on demand. */
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
