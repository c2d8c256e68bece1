import { connect } from '../../db/connect.ts'
import type { QueryResult } from '../../db/transaction.ts'
import { runReadOnlyQuery as askOnce } from '../../mirror/query/read-only-query.ts'
import type { Command } from '../cli/context.ts'
import { resetDemo, demoFolder, demoTarget } from './folder.ts'
import { introduce, syncAgain, syncFirst } from './sync-twice.ts'
import { showMoney } from './money.ts'
import { openDemoOutput } from './output.ts'
import { openSampleService } from './sample-service.ts'
import { showOpenSlots } from './open-slots.ts'
import { showNextSteps } from './next-steps.ts'
import { showGuests } from './guests.ts'
import { rowsOf, type Ask, type Row } from './query.ts'
import { showFolderWait } from '../data-dir-wait.ts'
import { raceInterruption } from '../cli/signals.ts'
import { parseStatement } from '../../mirror/query/statement.ts'

/** Each question takes some milliseconds. */
const QUESTION_TIMEOUT_MS = 10_000

/**
 * A walk through headcount with an invented account: mirror it, see it change, ask three questions. It reads no
 * setting, so that it cannot meet anybody's own mirror, and speaks to this machine alone.
 */
export const demo: Command<object> = async ({ terminal, signal }) => {
  const page = openDemoOutput(terminal.out)
  await using service = await openSampleService()
  await introduce(page, service.account)

  const stage = { page, service, database: demoTarget, err: terminal.err, signal }
  await page.heading('1  Mirror it')
  await page.block(`An embedded Postgres in the folder ${demoFolder}: no server is needed.`)
  const { err } = terminal
  const wait = showFolderWait(
    { logLevel: 'info', logFormat: null },
    err,
    (line) => void err.write(`${line}\n`),
  )
  await raceInterruption(resetDemo(wait), signal)
  await syncFirst(stage)
  await page.heading('2  Ten minutes later, mirror it again')
  await syncAgain(stage)

  await using database = await connect(demoTarget)
  const ask: Ask = async (statement) => {
    const rows: Row[] = []
    const receive = async (part: QueryResult) => void rows.push(...rowsOf(part))
    await raceInterruption(
      askOnce(database, parseStatement(statement), { timeoutMs: QUESTION_TIMEOUT_MS }, receive),
      signal,
    )
    return rows
  }
  await page.heading('3  Ask it in SQL')
  await showGuests(page, ask)
  await showMoney(page, ask)
  await showOpenSlots(page, ask)
  await showNextSteps(page)
  return 0
}
