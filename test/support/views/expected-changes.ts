/** Views of changes: each item's versions are laid in a row, and each step from one to the next is a change. */
import { isDeepStrictEqual } from 'node:util'
import {
  byTime,
  emailKey,
  microseconds,
  personId,
  text,
  type Moment,
  type ShownAccount,
} from './mirror-rows.ts'
import type { Row } from './read-views.ts'

interface Version {
  readonly from: string
  readonly to: string | null
  readonly operation: string | null
  readonly document: Row
  readonly begunBy: string | null
  readonly endedBy: string | null
}

interface Change {
  readonly event_id: string
  readonly response_id: string | null
  readonly changed_at: string
  readonly run_id: string | null
  readonly change: 'insert' | 'update' | 'delete'
  readonly before: Row | null
  readonly after: Row | null
  /** Whether the item was deleted before. */
  readonly isBack: boolean
}

export function expectedChanges(moment: Moment, account: ShownAccount): ReadonlyMap<string, readonly Row[]> {
  const events = changesOf(moment, account, 'event')
  const responses = changesOf(moment, account, 'response')
  return new Map([
    ['event_changes', events.flatMap((change) => eventChange(moment, account, change))],
    ['response_changes', responses.flatMap((change) => responseChange(moment, account, change))],
    [
      'changes',
      [
        ...events.flatMap((change) => item(moment, account, 'event', change)),
        ...responses.flatMap((change) => item(moment, account, 'response', change)),
      ],
    ],
  ])
}

function changesOf(moment: Moment, account: ShownAccount, entity: 'event' | 'response'): readonly Change[] {
  const horizon = text(account.row['_history_from'])
  return [...versionsOf(moment, account.id, entity)].flatMap(([key, versions]) => {
    const [event_id, response_id] = JSON.parse(key) as [string, string | null]
    return steps(versions)
      .filter(({ changed_at }) => horizon === null || microseconds(changed_at) > microseconds(horizon))
      .map((step) => ({ event_id, response_id, ...step }))
  })
}

/** The versions of each item in order, the live one last. */
function versionsOf(
  moment: Moment,
  account: number,
  entity: 'event' | 'response',
): Map<string, readonly Version[]> {
  const versions = new Map<string, Version[]>()
  const add = (row: Row, id: unknown, version: Version) => {
    const key = JSON.stringify([entity === 'event' ? (row['event_id'] ?? row['id']) : row['event_id'], id])
    versions.set(key, [...(versions.get(key) ?? []), version])
  }
  const history = moment.table(entity === 'event' ? 'event_history' : 'response_history')
  const inOrder = history
    .filter(({ account_id }) => account_id === account)
    .toSorted(
      (a, b) =>
        byTime(text(a['valid_from']), text(b['valid_from'])) ||
        byTime(text(a['valid_to']), text(b['valid_to'])),
    )
  for (const row of inOrder)
    add(row, row['response_id'] ?? null, {
      from: String(row['valid_from']),
      to: String(row['valid_to']),
      operation: String(row['operation']),
      document: Object(row['document']) as Row,
      begunBy: text(row['begun_by_run_id']),
      endedBy: text(row['ended_by_run_id']),
    })
  for (const row of moment.table(entity === 'event' ? 'events' : 'responses')) {
    if (row['account_id'] !== account) continue
    add(row, entity === 'event' ? null : row['id'], {
      from: String(row['_changed_at']),
      to: null,
      operation: null,
      document: entity === 'event' ? eventDocument(row) : responseDocument(moment, row),
      begunBy: text(row['_run_id']),
      endedBy: null,
    })
  }
  return versions
}

function steps(versions: readonly Version[]): Omit<Change, 'event_id' | 'response_id'>[] {
  return versions.flatMap((version, at) => {
    const former = versions[at - 1]
    const follows = former?.operation === 'update' && former.to === version.from
    const isBack = versions.slice(0, at).some(({ operation }) => operation === 'delete')
    const shared = { isBack, changed_at: version.from, run_id: version.begunBy, after: version.document }
    const began = follows
      ? { ...shared, change: 'update' as const, run_id: former.endedBy, before: former.document }
      : { ...shared, change: 'insert' as const, before: null }
    const ended = {
      isBack,
      changed_at: String(version.to),
      run_id: version.endedBy,
      change: 'delete' as const,
      before: version.document,
      after: null,
    }
    return version.operation === 'delete' ? [began, ended] : [began]
  })
}

/** Without the fields that are NULL; those that the specification does not name come on top. */
function present(fields: Row, extra: unknown): Row {
  return {
    ...Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
    ),
    ...(Object(extra ?? {}) as Row),
  }
}

function eventDocument({ id, title, event_at, description, event_type, location, _extra }: Row): Row {
  return present({ id, title, event_at, description, event_type, location }, _extra)
}

/** The document of a live response, as the view response_documents has it: that view has a test of its own. */
function responseDocument(moment: Moment, row: Row): Row {
  const found = moment.document(Number(row['account_id']), String(row['event_id']), String(row['id']))
  return Object(found) as Row
}

const fieldsOf = ({ before, after }: Change) =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .filter((field) => !isDeepStrictEqual(before?.[field], after?.[field]))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

/** The event now, else its last version. */
function eventOf(moment: Moment, account: number, id: string): { title: unknown; event_at: unknown } {
  const live = moment.table('events').find((row) => row['account_id'] === account && row['id'] === id)
  if (live !== undefined) return { title: live['title'], event_at: live['event_at'] }
  const document = lastDocument(moment.table('event_history'), account, id, null)
  return { title: text(document['title']), event_at: text(document['event_at']) }
}

function lastDocument(history: readonly Row[], account: number, event: string, response: string | null): Row {
  const last = history
    .filter(
      (row) =>
        row['account_id'] === account &&
        row['event_id'] === event &&
        (response === null || row['response_id'] === response),
    )
    .toSorted((a, b) => byTime(text(a['valid_to']), text(b['valid_to'])))
    .at(-1)
  return Object(last?.['document'] ?? {}) as Row
}

function isInitial(moment: Moment, account: ShownAccount, entity: string, change: Change): boolean {
  const listed = text(account.row['first_listed_run_id'])
  if (change.change !== 'insert' || change.run_id === null || listed === null) return false
  const run = BigInt(change.run_id)
  if (entity === 'event') return run <= BigInt(listed)
  const state = moment
    .table('sync_state')
    .find((row) => row['account_id'] === account.id && row['event_id'] === change.event_id)
  const applied = text(state?.['first_applied_run_id'])
  if (run <= BigInt(listed)) return applied === null || run <= BigInt(applied)
  const stateListed = text(state?.['first_listed_run_id'])
  return applied === change.run_id && stateListed !== null && BigInt(stateListed) <= BigInt(listed)
}

/** A row for each changed field, or one for an insert or delete. */
function fieldRows(change: Change) {
  if (change.change !== 'update') return [{ field: null, old_value: change.before, new_value: change.after }]
  return fieldsOf(change).map((field) => ({
    field,
    old_value: change.before?.[field] ?? null,
    new_value: change.after?.[field] ?? null,
  }))
}

const words = { event_at: 'moved', title: 'renamed', location: 'relocated' } as const

function eventChange(moment: Moment, account: ShownAccount, change: Change): Row[] {
  const event = eventOf(moment, account.id, change.event_id)
  return fieldRows(change).map(({ field, ...values }) => ({
    account_id: account.id,
    account: account.name,
    event_id: change.event_id,
    event_title: event.title,
    event_at: event.event_at,
    changed_at: change.changed_at,
    run_id: change.run_id,
    change: change.change,
    what:
      change.change === 'delete'
        ? 'removed'
        : change.change === 'insert'
          ? change.isBack
            ? 'returned'
            : 'announced'
          : Object.hasOwn(words, field ?? '')
            ? words[field as keyof typeof words]
            : 'edited',
    field,
    ...values,
    initial: isInitial(moment, account, 'event', change),
  }))
}

function responseChange(moment: Moment, account: ShownAccount, change: Change): Row[] {
  const event = eventOf(moment, account.id, change.event_id)
  const live = moment
    .table('responses')
    .find(
      (row) =>
        row['account_id'] === account.id &&
        row['event_id'] === change.event_id &&
        row['id'] === change.response_id,
    )
  const last = lastDocument(moment.table('response_history'), account.id, change.event_id, change.response_id)
  return fieldRows(change).map(({ field, ...values }) => ({
    account_id: account.id,
    account: account.name,
    event_id: change.event_id,
    response_id: change.response_id,
    changed_at: change.changed_at,
    change: change.change,
    field,
    ...values,
    event_title: event.title,
    name: live === undefined ? text(last['name']) : live['name'],
    initial: isInitial(moment, account, 'response', change),
    run_id: change.run_id,
  }))
}

function item(moment: Moment, account: ShownAccount, entity: 'event' | 'response', change: Change): Row[] {
  const fields = fieldsOf(change)
  const isUpdate = change.change === 'update'
  if (isUpdate && fields.length === 0) return []
  const event = eventOf(moment, account.id, change.event_id)
  const record = change.after ?? change.before ?? {}
  const run = moment.table('sync_runs').find(({ id }) => id === change.run_id)
  const key = emailKey(text(record['email']))
  return [
    {
      account_id: account.id,
      account: account.name,
      run_id: change.run_id,
      run_finished_at: run?.['finished_at'] ?? null,
      changed_at: change.changed_at,
      entity,
      event_id: change.event_id,
      response_id: change.response_id,
      change: change.change,
      initial: isInitial(moment, account, entity, change),
      event_title: event.title,
      event_at: event.event_at,
      person_id: entity === 'response' ? personId(moment.secret, account.id, key) : null,
      fields: isUpdate ? fields : null,
      record,
      former: isUpdate
        ? Object.fromEntries(fields.map((field) => [field, change.before?.[field] ?? null]))
        : null,
    },
  ]
}
