/**
 * docs/queries.md: each question with the answer that the sample account gives. The account lies around one fixed moment, and the
 * embedded database is told that moment as its present, so that the answers stay the same from day to day.
 */
import { PGlite } from '@electric-sql/pglite'
import { createSampleAccount } from '../../src/commands/demo/account/account.ts'
import type { SampleEvent } from '../../src/commands/demo/account/items.ts'
import { tableWriterOf } from '../../src/commands/output/query/table.ts'
import { connect, type Database } from '../../src/db/connect.ts'
import { sync } from '../../src/index.ts'
import { runReadOnlyQuery } from '../../src/mirror/query/read-only-query.ts'
import { parseStatement } from '../../src/mirror/query/statement.ts'
import { createHttpService } from '../../src/server/http-service.ts'
import { createMemoryStore } from '../../src/server/stores/memory-store.ts'
import { questions, type Question } from './questions.ts'

/** A morning in the middle of a week. */
const PRESENT = new Date('2026-11-18T09:00:00Z')
/** The account moves on between two runs, so that there are changes. */
const STEPS = 6
const TIMEOUT_MS = 10_000

const intro = `# Questions

Made by \`npm run docs\`; do not edit. The answers are those of the sample account, on ${PRESENT.toISOString().slice(0, 10)}: a test asks each
question again.

\`headcount query "<sql>"\` runs a statement and prints the rows; in psql, first say \`set search_path to headcount\`. \`query\` takes one
\`select\`, \`with\`, \`values\` or \`table\`, an \`explain\` of one (also \`analyze\`), or \`show\`. It runs in a read-only transaction that is always
rolled back: the server refuses whatever writes or locks rows. Functions that a \`select\` calls are up to the role:
[permissions.md](operate/permissions.md) has the grants of a role that may only read.

On a terminal \`query\` prints a table; a result that is wider than the terminal has one field a line. No value is cut, and NULL is \`∅\`. Set
\`HEADCOUNT_PAGER\` or \`PAGER\` (for example to \`less\`) to page through a result that is longer than the screen. Elsewhere the result is CSV:
NULL is an empty field, an empty text is \`""\`.

- \`--json\` and \`--format ndjson\` give bigint and numeric as strings, for a JSON number may lose digits. \`--json-numbers\` gives numbers where none is
  lost. Of two columns with one name the second becomes \`name_2\`.
- \`--output FILE\` takes the format from the name (\`.csv\`, \`.json\`, \`.ndjson\`). The file appears when the result is complete, and only its owner may read it.
- \`--excel\` writes CSV that a spreadsheet opens correctly: byte order mark, separator and decimal comma of \`LANG\`, local times without a zone. Text
  that would run as a formula gets a \`'\` in front. Numbers of more than 15 digits are rounded by the spreadsheet.
- \`--timezone Europe/Berlin\` sets the zone for days in the statement and for times in the result; days in the views are those of the account's zone. \`--limit\` stops after so many rows.

Rows are printed as they come, so a result may be larger than memory; the exit code shows when one breaks off. \`--timeout\` (30 s) bounds a
statement, and Ctrl-C ends it, on the server too. An error in the statement is exit 2, with the line, the place and Postgres' hint. On a PGlite that \`serve\` or \`worker\` has open,
a statement may compute for 4 s at most (exit 5), for nothing else gets the database meanwhile.

\`headcount tables\` lists the tables, views and functions; \`headcount tables event_summary\` describes the columns of one.
[schema.md](schema.md) has them all.

## What the data cannot tell

| question | what the mirror can say |
|---|---|
| Who came? | Who answered. That is no attendance. |
| Which slots are empty? | Only slots that somebody takes, or took while the mirror watched. A slot that nobody ever took is in no response. |
| How full is an event or a slot? | The service sends no capacity. A slot is compared with the target that you set (\`slot_targets\`); without one, with 2. |
| When was it paid? | When the response was made. |
| What was refunded? | Negative amounts as they are sent. A payment that the service lowers or drops changes the month of the original response; history has the former value. |
| What remains after fees? | Amount minus fee. The service does not say whether the amount contains the fee, and names no currency. |
| Which day is it there? | Days and months are in the zone of the account (\`headcount accounts set NAME --time-zone ZONE\`), else in UTC; the setting \`headcount.time_zone\` overrides it. Slots keep the wall clock as sent. |
| What happened before the first run? | Nothing is known of it. A response that was withdrawn before was never seen. |

## The questions
`

const past = `## The past

\`events_at\`, \`responses_at\`, \`payments_at\` and \`slots_at\` return the tables as they were at a moment, as the runs saw them. What the first run
finds was there before: these rows of the views of changes are \`initial\`, and no news. The functions show the account \`default\`, or the only one;
\`responses_at('north', …)\` names another. A moment before the first run is an error that names the earliest one.

    select rsvp, count(*) from responses_at(now() - interval '7 days') group by rsvp
    select changed_at, response_id, field, old_value, new_value from response_changes where event_id = 'gala'

## Metabase, Grafana and other tools

The views need no join: each has the account, the event's id and its title. Tools that guess joins from foreign keys find none, for a mirror
must take what the service sends, in any order. Where you join tables, use the whole key:

| from | to | on |
|---|---|---|
| \`responses\` | \`events\` | \`account_id\`, \`event_id = id\` |
| \`payments\`, \`slots\` | \`responses\` | \`account_id\`, \`event_id\`, \`response_id = id\` |
| every view with an \`event_id\` | \`event_summary\` | \`account_id\`, \`event_id\` |
| \`event_respondents\` | \`respondents\` | \`account_id\`, \`person_id\` |

In dbt, name the tables and views as sources; [permissions](operate/permissions.md#readers) has the role. An incremental model goes by \`changes\`, for each account from
its last closed run on: \`_changed_at\` of a table tells nothing of rows that went. How fresh the mirror is says \`checked_at\` of \`list_status\`; \`_changed_at\` is when a row changed, and may be
long ago. Keep \`numeric\` for money and for sums of people: they are exact.

In Metabase, add these as joins in a model, each with all its conditions, and set the type of \`events.id\` and \`responses.id\` to "Entity key".
To see one account alone, filter by \`account\`, or open the connection with \`options=-c headcount.account=north\`; the zone of days can be set in the
same way (\`-c headcount.time_zone=Europe/Berlin\`). Both are a convenience, no protection.

Most servers compile larger queries (\`jit\`, on by default up to Postgres 18), which takes longer than the answers: \`thin_slots\` of 195,000 responses 0.9 s
instead of 0.02. The commands and the readers of \`readers add\` do without; elsewhere say \`set jit = off\`, or open the connection with \`options=-c jit=off\`.
`

/** @param given an open database, empty or with an empty mirror; by default one is made */
export async function queriesReference(given?: PGlite): Promise<string> {
  const pglite = given ?? (await PGlite.create())
  try {
    await mirrorSample(pglite)
    await using database = await connect({ pglite })
    const parts: string[] = []
    for (const question of questions) parts.push(await part(database, question))
    return [intro, ...parts, past].join('\n')
  } finally {
    if (given === undefined) await pglite.close()
  }
}

/** The sample account, read twice. */
async function mirrorSample(pglite: PGlite): Promise<void> {
  const account = createSampleAccount({ seed: 193, now: PRESENT })
  const apiKey = 'key-of-the-sample'
  let events = account.events()
  const served = {
    email: account.email,
    events: () => events,
    responses: (id: string) => account.responses(id),
  }
  const service = createHttpService({ store: createMemoryStore({ apiKey, account: served }) })
  try {
    const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
    await sync({ pglite, apiKey, baseUrl: url })
    for (let step = 0; step < STEPS; step++) account.advance()
    events = events.map(changeEvent)
    await sync({ pglite, apiKey, baseUrl: url, all: true })
  } finally {
    await service.close()
  }
}

/** Two of the coming events are changed between the runs. */
function changeEvent(event: SampleEvent): SampleEvent {
  if (event.event_at < PRESENT.toISOString()) return event
  if (event.title === 'Repair café') return { ...event, event_at: event.event_at.replace('T09', 'T10') }
  if (event.title.startsWith('Film evening')) return { ...event, location: 'Großer Saal' }
  return event
}

async function part(database: Database, { view, question, sql, note }: Question): Promise<string> {
  const answer = await inThePresent(() => answerTo(database, sql))
  return [
    `### ${view}`,
    '',
    question,
    '',
    '```sql',
    sql,
    '```',
    '',
    '```text',
    answer.trimEnd(),
    '```',
    '',
    ...(note === undefined ? [] : [note, '']),
  ].join('\n')
}

/** PGlite asks JavaScript for the time. */
async function inThePresent<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => PRESENT.getTime()
  try {
    return await work()
  } finally {
    Date.now = now
  }
}

/** What `headcount query` prints. */
async function answerTo(database: Database, sql: string): Promise<string> {
  const writer = tableWriterOf({
    out: { isTerminal: false, width: null, style: (_, text) => text },
    header: true,
    timeZone: null,
  })
  let text = ''
  await runReadOnlyQuery(database, parseStatement(sql), { timeoutMs: TIMEOUT_MS }, async (rows) => {
    text += writer.part(rows)
  })
  return text + writer.end()
}
