/** `npm run check:grafana`: alert rules, dashboard and metrics, checked by the tools of Prometheus and Grafana. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stringify } from 'yaml'
import { runProgram } from '../support/commands/program.ts'
import { queriesOf, readDashboard } from '../support/telemetry/dashboard.ts'
import { sampleMetrics } from './sample-metrics.ts'

const help = `npm run check:grafana

  Checks docs/operate/grafana with promtool and dashboard-linter, and with promtool the metrics of a run. Ends with 1 when one
  of them finds something, or is not installed:

    promtool           apt-get install prometheus
    dashboard-linter   go install github.com/grafana/dashboard-linter@latest
`

const folder = join(import.meta.dirname, '../../docs/operate/grafana')

/** Null: the tool is not installed. */
async function run(tool: string, args: readonly string[], stdin = ''): Promise<boolean | null> {
  const child = spawn(tool, args, { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'] })
  const failed = Promise.withResolvers<false>()
  child.once('error', () => failed.resolve(false))
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code)
  const code = await Promise.race([ended, failed.promise])
  if (code === false || child.pid === undefined) return null
  const said = `${await text(child.stdout)}${await text(child.stderr)}`.trim()
  process.stdout.write(`${code === 0 ? 'ok    ' : 'failed'} ${tool} ${args.join(' ')}\n`)
  if (code !== 0) process.stdout.write(`${said}\n`)
  return code === 0
}

/** The queries of the dashboard, as rules: promtool reads queries in rules only. */
function asRules(queries: readonly string[]): string {
  const filled = queries.map((query) => query.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.+'))
  const rules = filled.map((expr, at) => ({ record: `dashboard:query:${at}`, expr }))
  return stringify({ groups: [{ name: 'dashboard', rules }] })
}

const exitCode = await runProgram(help, {}, async () => {
  await using temporary = await mkdtempDisposable(join(tmpdir(), 'headcount-grafana-'))
  const queries = join(temporary.path, 'queries.yaml')
  await writeFile(queries, asRules(queriesOf(await readDashboard())))
  const results = [
    await run('promtool', ['check', 'rules', 'alerts.yaml']),
    await run('promtool', ['test', 'rules', 'alerts.test.yaml']),
    await run('promtool', ['check', 'rules', queries]),
    ...(await checkMetrics()),
    await run('dashboard-linter', ['lint', '--strict', 'dashboard.json']),
  ]
  if (results.slice(0, -1).includes(null)) missing('promtool', 'apt-get install prometheus')
  if (results.at(-1) === null)
    missing('dashboard-linter', 'go install github.com/grafana/dashboard-linter@latest')
  return results.every((result) => result === true)
})
process.exitCode = exitCode

async function checkMetrics(): Promise<(boolean | null)[]> {
  const results: (boolean | null)[] = []
  for (const exposition of await sampleMetrics())
    results.push(await run('promtool', ['check', 'metrics'], exposition))
  return results
}

function missing(tool: string, remedy: string): void {
  process.stdout.write(`not checked: ${tool} is not installed (${remedy})\n`)
}
