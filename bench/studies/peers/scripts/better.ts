/** What is written in the next hour: eight lists at a time, the rows of each upserted by one statement. */
import pLimit from 'p-limit'
import { Pool } from 'pg'
import { Agent, request } from 'undici'
import type { SentEvent } from '../../../account/account.ts'

const AT_ONCE = 8
const { SERVICE_URL = '', SERVICE_KEY = '', DATABASE_URL = '' } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: AT_ONCE })
const dispatcher = new Agent({ connections: AT_ONCE })

const get = async (path: string): Promise<string> => {
  const { statusCode, body } = await request(SERVICE_URL + path, {
    dispatcher,
    headers: { 'X-API-Key': SERVICE_KEY },
  })
  if (statusCode !== 200) throw new Error(`GET ${path}: ${statusCode}`)
  return body.text()
}

await pool.query(`
  create schema if not exists mirror;
  create table if not exists mirror.events (id text primary key, title text, event_at timestamptz, description text,
    event_type text, location text);
  create table if not exists mirror.responses (event_id text, id bigint, name text, email text, message text,
    created_at timestamptz, updated_at timestamptz, quantity int, rsvp text, amount numeric, processing_fee numeric,
    slots jsonb, primary key (event_id, id))`)
const list = await get('/events')
await pool.query(
  `insert into mirror.events select * from json_populate_recordset(null::mirror.events, $1)
   on conflict (id) do update set (title, event_at, description, event_type, location)
     = (excluded.title, excluded.event_at, excluded.description, excluded.event_type, excluded.location)`,
  [list],
)
const upsert = `
  insert into mirror.responses
  select $1, id, name, email, message, created_at, updated_at, quantity, rsvp, amount, processing_fee, slots
    from json_populate_recordset(null::mirror.responses, $2)
  on conflict (event_id, id) do update set (name, email, message, created_at, updated_at, quantity, rsvp, amount,
    processing_fee, slots) = (excluded.name, excluded.email, excluded.message, excluded.created_at,
    excluded.updated_at, excluded.quantity, excluded.rsvp, excluded.amount, excluded.processing_fee, excluded.slots)`
const events = JSON.parse(list) as SentEvent[]
await pLimit(AT_ONCE).map(events, async ({ id }) => {
  await pool.query(upsert, [id, await get(`/events/${id}/responses`)])
})
await pool.end()
