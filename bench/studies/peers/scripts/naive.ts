/** What is written in an hour: every list one after the other, each row upserted by a statement of its own. */
import { Pool } from 'pg'
import type { SentEvent, SentResponse } from '../../../account/account.ts'

const { SERVICE_URL = '', SERVICE_KEY = '', DATABASE_URL = '' } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: 8 })

const get = async <T>(path: string): Promise<T> => {
  const answer = await fetch(SERVICE_URL + path, { headers: { 'X-API-Key': SERVICE_KEY } })
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`)
  return (await answer.json()) as T
}

const upsert = (table: string, key: string, columns: readonly string[], row: object) =>
  pool.query(
    `insert into mirror.${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})
     on conflict (${key}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    columns.map((column) => Reflect.get(row, column) ?? null),
  )

await pool.query(`
  create schema if not exists mirror;
  create table if not exists mirror.events (id text primary key, title text, event_at timestamptz, description text,
    event_type text, location text);
  create table if not exists mirror.responses (event_id text, id bigint, name text, email text, message text,
    created_at timestamptz, updated_at timestamptz, quantity int, rsvp text, amount numeric, processing_fee numeric,
    slots jsonb, primary key (event_id, id))`)
const ofEvent = 'id title event_at description event_type location'.split(' ')
const ofResponse =
  'event_id id name email message created_at updated_at quantity rsvp amount processing_fee slots'.split(' ')
for (const event of await get<SentEvent[]>('/events')) {
  await upsert('events', 'id', ofEvent, event)
  const responses = await get<SentResponse[]>(`/events/${event.id}/responses`)
  await Promise.all(
    responses.map(({ slots, ...response }) => {
      const row = { ...response, event_id: event.id, slots: slots && JSON.stringify(slots) }
      return upsert('responses', 'event_id, id', ofResponse, row)
    }),
  )
}
await pool.end()
