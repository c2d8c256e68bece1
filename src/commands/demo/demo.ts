import { connect, type Database, type OnFolderInUse } from '../../db/connect.ts'
import { runReadOnlyQuery } from '../../mirror/query/read-only-query.ts'
import { parseStatement } from '../../mirror/query/statement.ts'
import type { Command } from '../cli/context.ts'
import { raceAbort } from '../../common/abort.ts'
import { showFolderWait } from '../terminal/data-dir-wait.ts'
import { formatReport } from '../output/run-report.ts'
import { showSeconds } from '../terminal/show-seconds.ts'
import { demoFolder, demoTarget, resetDemo } from './folder.ts'
import { showNextSteps } from './next-steps.ts'
import { writePage } from './page.ts'
import { askQuestions } from './questions.ts'
import { openDemoOutput, rowsOf, type Row } from './output.ts'
import { openSampleService } from './sample-service.ts'
import { introduce, syncAgain, syncDemo, type DemoContext } from './sync-twice.ts'

/** A query takes some milliseconds. */
const QUERY_TIMEOUT_MS = 10_000

/**
 * A tour with a sample account: mirror it, change it, mirror it again, run four queries, write a page. It reads no settings, so that it
 * cannot touch anybody's own mirror, and it connects to this machine only.
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
  await startDatabase(wait, { err, signal })
  await page.block(formatReport(await syncDemo(context), page))
  await page.heading('2  Ten minutes later, mirror it again')
  await syncAgain(context)

  await using database = await connect(demoTarget)
  const query = (statement: string) => raceAbort(rowsIn(database, statement), signal)
  await page.heading('3  Ask it four questions in SQL')
  await askQuestions(page, query)
  await page.heading('4  A page for the meeting')
  await raceAbort(writePage(page, database, signal), signal)
  await showNextSteps(page)
  return 0
}

async function startDatabase(
  wait: OnFolderInUse,
  { err, signal }: Pick<DemoContext, 'err' | 'signal'>,
): Promise<void> {
  using _line = showSeconds(err, (seconds) => `   starting the embedded Postgres, ${seconds} s`)
  await raceAbort(resetDemo(wait), signal)
}

/** Answers a statement as `headcount query` does. */
async function rowsIn(database: Database, statement: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  await runReadOnlyQuery(
    database,
    parseStatement(statement),
    { timeoutMs: QUERY_TIMEOUT_MS },
    async (part) => void rows.push(...rowsOf(part)),
  )
  return rows
}
