/** Steps in words. */
import type { Breakage } from '../engine/engine.ts'
import { plainRun } from './steps.ts'
import type { History, PlannedTrouble, RunStep, Step, Target } from './steps.ts'

export function tell(step: Step): string {
  if (step.do === 'moves') return `the account moves on: ${step.count} moves of seed ${step.seed}`
  if (step.do === 'accept') return 'the owner accepts the rejects that there are'
  if (step.do === 'pass') return `${step.minutes} minutes pass`
  if (step.do === 'jump') return `the clock of the database jumps ahead by ${step.minutes} minutes`
  return tellRun(step)
}

export function tellHistory({ size, steps }: History): string {
  const account = `an account of ${size.events.length} events with ${size.events.join(', ') || 'no'} responses (seed ${size.seed}), validators: ${size.validators}`
  return [account, ...steps.map((step, place) => `${place + 1}. ${tell(step)}`)].join('\n')
}

function tellRun(step: RunStep): string {
  const {
    mode,
    all,
    accept,
    adopt,
    restart,
    named,
    concurrency,
    isPatient,
    chunkBytes,
    batchRows,
    key,
    breakage,
    fate,
    interruptAt,
    refusedFrom,
    beside,
  } = step
  const words = [
    mode +
      (all ? ' --all' : '') +
      (accept ? ' --accept-deletions' : '') +
      (adopt ? ' --adopt' : '') +
      (restart && mode === 'backfill' ? ' --restart' : ''),
    ...(named === null ? [] : [`of events number ${named.join(' and ')} only`]),
    ...(key === plainRun.key ? [] : [`with ${key === 'wrong' ? 'a wrong key' : "another account's key"}`]),
    ...(concurrency > 1 ? [`${concurrency} requests at once`] : []),
    ...(isPatient ? ['patient'] : []),
    ...(chunkBytes === null ? [] : [`lists in pieces of ${chunkBytes} bytes`]),
    ...(batchRows === null ? [] : [`batches of ${batchRows} rows`]),
    ...step.troubles.map(tellTrouble),
    ...(breakage === null ? [] : [tellBreakage(breakage)]),
    ...(breakage === null || !breakage.how.startsWith('dies') ? [] : [fates[fate]]),
    ...(interruptAt === null ? [] : [`interrupted at ${nameOf(interruptAt)}`]),
    ...(refusedFrom === null ? [] : [`its key is refused from ${nameOf(refusedFrom)} on`]),
    ...(beside === 'none'
      ? []
      : [
          `standing still at ${nameOf(step.beginBeside)} while another run ${beside === 'refused' ? 'tries' : 'takes over'}`,
        ]),
  ]
  return `run: ${words.join(', ')}`
}

const fates = {
  seen_dead: 'and is seen dead',
  seems_alive: 'and seems alive',
  goes_on: 'and its process goes on',
}

function tellBreakage({ how, at }: Breakage): string {
  if (how === 'ends_when_ready') return `connection ${at} ends when it becomes ready`
  return `${how.replaceAll('_', ' ')} at statement ${at}`
}

function tellTrouble({ on, failures, way, lie, moves, shift }: PlannedTrouble): string {
  const words = [
    ...(failures.length > 3 ? [`${failures[0]} ${failures.length} times`] : failures),
    ...(way === 'plain' ? [] : [way]),
    ...(lie === 'none' ? [] : [lie]),
    ...(shift === null ? [] : [`slides ${shift[0]} (seed ${shift[1]})`]),
    ...(moves === null ? [] : [`the account moves on (seed ${moves})`]),
  ]
  return `${nameOf(on)}: ${words.join(' + ') || 'nothing'}`
}

function nameOf(target: Target): string {
  return typeof target === 'number'
    ? `event number ${target}`
    : target === 'again'
      ? 'the second look'
      : target
}
