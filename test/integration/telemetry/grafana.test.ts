/** The dashboard, the alerts and the page of metrics name what the program really tells, and all of it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { accountOf } from '../../support/accounts/account.ts'
import { commandStage } from '../../support/commands/command-stage.ts'
import { headcount } from '../../support/commands/command.ts'
import { startServe } from '../../support/commands/process.ts'
import { accountsFolder } from '../../support/files/accounts-folder.ts'
import { metricsIn, queriesOf, readAlerts, readDashboard } from '../../support/telemetry/dashboard.ts'
import { parseExposition, type Exposition } from '../../support/telemetry/prometheus-text.ts'
import { healthUrlOf, scrape } from '../../support/telemetry/scrape.ts'
import { rejecting } from '../../support/telemetry/rejecting-service.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/operate/monitoring.md'), 'utf8')
const [dashboard, alerts] = await Promise.all([readDashboard(), readAlerts()])

/** Everything that processes tell: of runs that a service slows down, of serve, and of the mirrors in the database. */
async function told(): Promise<readonly Exposition[]> {
  const names = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`e${at}`, 1]))
  const account = accountOf(names)
  await using s = await commandStage('postgres', account)
  s.service.always(rejecting(account, [4, 9]))
  const args = ['--sync', '--schedule', '0 0 1 1 *', '--health-port', '0']
  await using served = startServe(args, { env: s.env })
  await served.says('the next run is at')
  const address = /^listening on (\S+)$/m.exec(served.stderr)?.[1] ?? ''
  expect((await fetch(`${address}/ping`)).status).toBe(401)
  await healthUrlOf(served)
  const isCounted = async () =>
    (await scrape(served)).metrics.types.has('http_server_request_duration_seconds')
  await expect.poll(isCounted).toBe(true)
  const { metrics } = await scrape(served)
  const { HEADCOUNT_API_KEY: _, ...env } = s.env
  const folder = accountsFolder(['default'])
  folder.write('accounts.yaml', 'accounts:\n  - name: default\n    key_file: keys/default.key\n')
  const ofMany = { ...env, HEADCOUNT_ACCOUNTS_FILE: folder.file }
  const { stdout } = await headcount(['status', '--format', 'prometheus'], { env: ofMany })
  return [metrics, parseExposition(stdout)]
}

let once: Promise<readonly Exposition[]> | null = null
/** The same for all tests: two processes have to run for it. */
const toldOnce = () => (once ??= told())

test('every metric of the dashboard and of the alerts is one that the program tells', async () => {
  const samples = new Set((await toldOnce()).flatMap((one) => one.samples.map(({ name }) => name)))
  const variables = dashboard.templating.list.flatMap(({ definition = '' }) =>
    [...definition.matchAll(/\b(?:headcount|http)_\w+/g)].map(([name]) => name),
  )
  const named = [...queriesOf(dashboard), ...alerts.map(({ expr }) => expr)].flatMap(metricsIn)
  expect(named.length).toBeGreaterThan(30)
  expect([...named, ...variables].filter((name) => !samples.has(name))).toEqual([])
})

test('every label that they choose by is one that a metric has', async () => {
  const labels = new Set(
    (await toldOnce()).flatMap((one) => one.samples.flatMap((sample) => Object.keys(sample.labels))),
  )
  // Prometheus adds the first two; a run that fails has the third.
  for (const added of ['job', 'instance', 'error_type']) labels.add(added)
  const chosen = [...queriesOf(dashboard), ...alerts.map(({ expr }) => expr)].flatMap((query) => [
    ...[...query.matchAll(/(\w+)(?:=~|!=|=)"/g)].map(([, name = '']) => name),
    ...[...query.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/)),
  ])
  expect([...new Set(chosen)].filter((name) => !labels.has(name))).toEqual([])
})

test('docs/operate/monitoring.md has each metric, and none that is not told', async () => {
  const families = new Set((await toldOnce()).flatMap(({ types }) => [...types.keys()]))
  const documented = [...page.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name = '']) => name)
  expect(documented.toSorted()).toEqual([...families].toSorted())
})

test('each panel says what it shows, in which unit, of the chosen Prometheus, job and instance', () => {
  expect(dashboard.editable).toBe(false)
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  for (const { title, description, datasource, fieldConfig, targets } of panels) {
    expect(title).not.toBe('')
    expect(description, title).toMatch(/\.$/)
    expect(fieldConfig?.defaults.unit, title).toMatch(/./)
    expect(
      [datasource, ...(targets ?? []).map((target) => target.datasource)].map((one) => one?.uid),
    ).toEqual(Array.from({ length: (targets?.length ?? 0) + 1 }, () => '${datasource}'))
  }
  const selectors = queriesOf(dashboard).flatMap((query) => query.match(/\{[^}]*\}/g) ?? [])
  expect(selectors.filter((one) => !one.startsWith('{job=~"$job", instance=~"$instance"'))).toEqual([])
  const ranges = queriesOf(dashboard).flatMap((query) => query.match(/\[[^\]]*\]/g) ?? [])
  expect([...new Set(ranges)]).toEqual(['[$__rate_interval]'])
})

test('each alert says how bad it is, and what to do; and has a test', async () => {
  const tests = await readFile(
    join(import.meta.dirname, '../../../docs/operate/grafana/alerts.test.yaml'),
    'utf8',
  )
  for (const { alert, labels, annotations } of alerts) {
    expect(['critical', 'warning', 'info'], alert).toContain(labels['severity'])
    expect(annotations['summary'], alert).toMatch(/./)
    expect(annotations['description'], alert).toMatch(/\.$/)
    expect(tests, alert).toContain(`alertname: ${alert}\n`)
  }
})
