import { connect, type Database } from '../../db/connect.ts'
import { runReadOnlyQuery } from '../../mirror/query/read-only-query.ts'
import { parseStatement } from '../../mirror/query/statement.ts'
import type { Command } from '../cli/context.ts'
import { raceAbort } from '../../common/abort.ts'
import { showFolderWait } from '../data-dir-wait.ts'
import { demoFolder, demoTarget, resetDemo } from './folder.ts'
import { showGuests } from './guests.ts'
import { showMoney } from './money.ts'
import { showNextSteps } from './next-steps.ts'
import { showOpenSlots } from './open-slots.ts'
import { openDemoOutput, rowsOf, type Row } from './output.ts'
import { openSampleService } from './sample-service.ts'
import { introduce, syncAgain, syncFirst } from './sync-twice.ts'

/** Each question takes some milliseconds. */
const QUESTION_TIMEOUT_MS = 10_000

/**
 * A walk through headcount with an invented account: mirror it, see it change, ask three questions. It reads no
 * setting, so that it cannot meet anybody's own mirror, and speaks to this machine alone.
 */
export const demo: Command<object> = async ({ terminal: { out, err }, signal }) => {
  const page = openDemoOutput(out)
  await using service = await openSampleService()
  await introduce(page, service.account)

  const context = { page, service, err, signal }
  await page.heading('1  Mirror it')
  await page.block(`An embedded Postgres in the folder ${demoFolder}: no server is needed.`)
  const wait = showFolderWait(
    { logLevel: 'info', logFormat: null },
    err,
    (line) => void err.write(`${line}\n`),
  )
  await raceAbort(resetDemo(wait), signal)
  await syncFirst(context)
  await page.heading('2  Ten minutes later, mirror it again')
  await syncAgain(context)

  await using database = await connect(demoTarget)
  const query = (statement: string) => raceAbort(rowsIn(database, statement), signal)
  await page.heading('3  Ask it in SQL')
  await showGuests(page, query)
  await showMoney(page, query)
  await showOpenSlots(page, query)
  await showNextSteps(page)
  return 0
}

/** Answers a statement as `headcount query` does. */
async function rowsIn(database: Database, statement: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  await runReadOnlyQuery(
    database,
    parseStatement(statement),
    { timeoutMs: QUESTION_TIMEOUT_MS },
    async (part) => void rows.push(...rowsOf(part)),
  )
  return rows
}
