import type { Transaction } from '../../db/transaction.ts'
import { readEventIds } from '../../load/write/erase.ts'
import {
  readUnread,
  rewriteHistory,
  rewriteUnread,
  type DocumentRules,
} from '../../load/write/rewrite-stored.ts'
import type { FieldRules } from '../../normalise/items/field-rules.ts'
import { isPseudonym, pseudonymOf } from '../../normalise/suppression/pseudonym.ts'
import type { RunContext } from '../run-context.ts'

/**
 * Takes what is left out from live rows of these events, which a reading has not made anew: they are held, or their items cannot be stored.
 *
 * @returns the events in which a row changed
 */
export async function applyToLive(
  trx: Transaction,
  { settings, mirror }: RunContext,
  events: readonly string[],
): Promise<ReadonlySet<string>> {
  if (settings.rules === null || events.length === 0) return new Set()
  return mirror.load.rewriteLive(trx, mirror.account.id, events, documentRules(settings.rules))
}

/**
 * Takes what is left out from rows whose lists this run could not read anew: their event is held, or the service refuses them. The lists
 * stay to be read anew.
 */
export async function applyToUnread(run: RunContext): Promise<void> {
  const { settings, mirror, signal } = run
  if (settings.rules === null || settings.events !== null || mirror.plan !== null) return
  const rules = documentRules(settings.rules)
  for (const event_id of await readUnread(mirror.database.kysely, mirror.account.id)) {
    signal.throwIfAborted()
    await mirror.write((trx) => rewriteUnread(trx, mirror.account.id, event_id, rules))
  }
}

/** Takes what is left out from former versions, in one transaction an event. What a run that was broken off left, the next one with the option does. */
export async function applyToHistory(run: RunContext): Promise<void> {
  const { settings, mirror, stats, signal } = run
  if (!settings.applyToHistory || settings.rules === null || mirror.plan !== null || signal.aborted) return
  const rules = documentRules(settings.rules)
  // Live rows of other events are as they were, and would bring into history again what was taken out of it.
  for (const event_id of settings.events ?? (await readEventIds(mirror.database.kysely, mirror.account.id))) {
    signal.throwIfAborted()
    stats.rewrittenVersions += await mirror.write((trx) =>
      rewriteHistory(trx, mirror.account.id, event_id, rules),
    )
    stats.report('forgetting')
  }
  settings.logger.info(
    {},
    `Former versions were brought into line: ${stats.rewrittenVersions} changed. Their old bytes stay in the files of the database until it is vacuumed.`,
  )
}

function documentRules({ responses, slots, pseudonyms, key }: FieldRules): DocumentRules {
  return {
    fields: [...responses.columns, ...responses.unknown],
    allExtra: responses.allExtra,
    slotFields: [...slots.unknown],
    allSlotExtra: slots.allExtra,
    pseudonyms: new Map(
      [...pseudonyms].map((field) => [
        field,
        // One that is there already stays.
        (text) => (key === null || isPseudonym(field, text) ? text : pseudonymOf(field, text, key)),
      ]),
    ),
  }
}
