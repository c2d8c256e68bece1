/** A service that goes away in the middle of a run: what is stored, said, and done by the next run. */
import { Command } from 'commander'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import { runSync } from '../../../../src/commands/sync/run-command.ts'
import { openTerminal } from '../../../../src/commands/terminal/terminal.ts'
import { HeadcountError } from '../../../../src/common/errors.ts'
import { sync } from '../../../../src/index.ts'
import type { RunOptions, RunReport } from '../../../../src/index.ts'
import { type Account, accountOf } from '../../../support/accounts/account.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { resetBeforeHeaders, send } from '../../../support/http/fault-server.ts'
import type { FaultServer, Step } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'
import { onBothStages } from '../../../support/runs/stage.ts'

/** The rule with less time, and enough for nine failures to come before it is over, on a busy machine too. */
const soon = { maxSilenceMs: 3000, askEveryMs: 500 }

/** The lists of an account that are left when it goes, besides those that it has answered. */
const ANSWERED = 17

function accountOfLists(left: number): Account {
  const events = Array.from({ length: ANSWERED + left }, (_, place) => [`event-${place}`, 2])
  return accountOf(Object.fromEntries(events))
}

/** Answers some lists, and from then on as `gone` says. */
function goesAway(service: FaultServer, answer: Step, gone: Step): void {
  let lists = 0
  service.always((socket, request) => {
    if (request.path.endsWith('/responses')) lists += 1
    return (lists > ANSWERED ? gone : answer)(socket, request)
  })
}

onBothStages('H28 a service that goes away in mid-run', (stage) => {
  test('ends the run with 4; what was stored is told, what was not asked for is no failure, and the next run mends it', async () => {
    await using on = await stage(accountOfLists(43))
    const answer = send((request) => on.account.answer(request))
    goesAway(on.service, answer, resetBeforeHeaders)
    const { exit, status, error, report } = await on.sync({ concurrency: 3, outage: soon })
    expect({ exit, status, code: error?.code }).toEqual({ exit: 4, status: 'failed', code: 'outage' })
    expect(report.events).toMatchObject({ due: 60, changed: ANSWERED })
    const { failed, not_read = 0 } = report.events
    expect(failed).toBeGreaterThanOrEqual(9)
    expect(failed + not_read).toBe(43)
    expect(not_read).toBeGreaterThanOrEqual(20)
    expect(report.errors_total).toBe(failed + 1)
    expect(error?.message).toContain(`${not_read} of 60 events that were due were not read`)
    expect(on.mirror.rows('responses')).toHaveLength(34)
    const failing = [...on.mirror.states.values()].filter(({ error_code }) => error_code !== null)
    expect(failing).toHaveLength(failed)
    on.service.always(answer)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { events: { due: 60, changed: 43 } } })
    on.expectMirrored()
  })

  test('and comes back: all that waited is read', async () => {
    await using on = await stage(accountOfLists(43))
    const answer = send((request) => on.account.answer(request))
    const said: string[] = []
    const warn = (_: object, message: string) => {
      said.push(message)
      if (message.includes('does not answer any more')) on.service.always(answer)
    }
    goesAway(on.service, answer, send({ status: 500 }))
    const logger = { debug() {}, info() {}, warn, error() {} }
    const options = { concurrency: 3, outage: { ...soon, maxSilenceMs: 60_000 }, logger }
    const { exit, report } = await on.sync(options)
    expect(exit).toBe(6)
    expect(report.events.failed).toBeLessThanOrEqual(20)
    expect(report.events.changed).toBe(60 - report.events.failed)
    expect(said.filter((line) => /does not answer any more|answers again/.test(line))).toHaveLength(2)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

describe('H28 what a command says of a service that goes away', () => {
  /** The command's own code, with less time; in this process, for no setting of a user changes the rule. */
  async function command(options: Partial<RunOptions>, flags: object, url: string, baseUrl: string) {
    vi.stubEnv('HEADCOUNT_API_KEY', testKey)
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const terminal = openTerminal(stdout, stderr)
    const signal = new AbortController().signal
    const run = async () => (given: RunOptions) => sync({ ...given, ...options })
    const given = { database: url, baseUrl, ...flags }
    const context = { flags: given, operands: [], terminal, signal, leaveOpen() {}, program: new Command() }
    const failure: unknown = await runSync(context, run).catch((error: unknown) => error)
    vi.unstubAllEnvs()
    stdout.end()
    stderr.end()
    return { failure, out: await text(stdout), err: await text(stderr) }
  }

  test('one line when it goes, each failure once, a mail of one form that fits a screen; all of it in --json and status', async () => {
    const account = accountOfLists(100)
    await using on = await commandStage('postgres', account)
    goesAway(
      on.service,
      send((request) => account.answer(request)),
      resetBeforeHeaders,
    )
    const flags = { quiet: true, json: true }
    // Time enough for the failures to come before it is over, on a busy machine too.
    const { failure, out, err } = await command(
      { outage: { maxSilenceMs: 5000, askEveryMs: 500 } },
      flags,
      on.place.url,
      on.service.baseUrl.href,
    )
    expect(failure).toMatchObject({ exitCode: 4, code: 'outage' })
    const lines = err.trimEnd().split('\n')
    expect(lines.filter((line) => line.includes('does not answer any more'))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('{'))).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(15)
    expect(err.length).toBeLessThan(2500)
    expect(err).toMatch(/^sync of account default failed in /m)
    expect(err).toMatch(/117 due, 0 unchanged, 17 changed, \d\d failed, \d\d not read/)
    expect(err).toMatch(/responses +34 +0 +0/)
    const report = JSON.parse(out) as RunReport
    const groups = [
      ...err.matchAll(
        /^ {2}error (\d+) events \(event-\d+, event-\d+, event-\d+ and \d+ more; [^;)]+ status --json lists them\)/gm,
      ),
    ]
    expect(groups.map(([, count]) => Number(count))).toEqual([report.events.failed])
    // The cause is what the command says last, by itself.
    expect(err).not.toContain(failure instanceof HeadcountError ? failure.message : '')
    const status = JSON.parse((await on.run(['status', '--json'])).stdout) as {
      accounts: { failing: unknown[] }[]
    }
    expect(status.accounts[0]?.failing).toHaveLength(report.events.failed)
  })
})
