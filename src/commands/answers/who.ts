import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { whoCall, type FoundPerson, type FoundPersons } from '../../mirror/answers/who.ts'
import type { Command, ListFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { formatCount, formatNumber, moneyText } from '../../common/text/number.ts'
import { drawPairs, listTable, right, text } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'
import { fieldOf, searchKey } from '../../mirror/persons/search.ts'
import { personKeyOf } from '../../sync/options.ts'
import { formatUnlessNone, meaningText, noteLines } from './values.ts'

/** One person over all events. */
export const who: Command<ListFlags> = async (context) => {
  const { limit } = context.flags
  const wanted = context.operands.join(' ')
  const found = await callMirror(context, whoCall, ({ account, personKey }) => ({
    account,
    limit,
    who: wanted,
    ...searchKey(wanted, personKeyOf(personKey ?? undefined)),
  }))
  return writeResult(context, found, (out) => formatFound(found, wanted, out))
}

function formatFound({ persons, has_more, notes }: FoundPersons, wanted: string, out: Output): string {
  if (persons.length === 0) {
    const none =
      fieldOf(wanted) === 'email'
        ? `No response has the address ${stripControlCharsInLine(wanted)}.\n`
        : `No name in a response contains "${stripControlCharsInLine(wanted)}".\n`
    return none + noteLines(notes, out)
  }
  const more = has_more ? '\nThere are more: give the whole name, the address, or --limit.\n' : ''
  const bounds = notes.length === 0 ? '' : `\n${noteLines(notes, out)}`
  return persons.map((person) => formatPerson(person, out)).join('\n') + more + bounds
}

function formatPerson(person: FoundPerson, out: Output): string {
  const name = stripControlCharsInLine(person.name ?? '(no name)')
  const email = person.email === null ? '' : `  ${stripControlCharsInLine(person.email).trim()}`
  const isPaid = person.events.some(({ payments }) => payments !== '0')
  const events = listTable(out, person.events, [
    ['day (UTC)', ({ event_at }) => event_at?.slice(0, 10) ?? ''],
    [text('event'), ({ event_title }) => event_title ?? ''],
    ['id', ({ event_id }) => event_id],
    ['reply', ({ meaning }) => meaningText(meaning)],
    [right('expected'), ({ expected }) => formatNumber(expected)],
    isPaid && [right('amount'), ({ amount }) => moneyText(amount)],
    [right('slots'), ({ slots }) => formatUnlessNone(slots)],
    [text('message'), ({ messages }) => (messages ?? '').replaceAll('\n', ' ')],
  ])
  return `${out.style('bold', name)}${email}\n${formatSummary(person, out)}\n${events}`
}

function formatSummary({ account, summary }: FoundPerson, out: Output): string {
  if (summary === null)
    return drawPairs(out, [
      ['account', account],
      ['address', 'none: this response is a person of its own'],
    ])
  const { events, events_coming, responses, amount, names, first_response_at, last_response_at } = summary
  const isOneName = names === '1' || names === '0'
  return drawPairs(out, [
    ['account', stripControlCharsInLine(account)],
    [
      'answered',
      `${formatCount(events, 'event')} in ${formatCount(responses, 'response')}; expected at ${formatNumber(events_coming)} (answers, not attendance)`,
    ],
    ['paid', amount && moneyText(amount)],
    ['names', isOneName ? null : `${formatNumber(names ?? '')} different ones`],
    [
      'from … to (UTC)',
      `${first_response_at?.slice(0, 10) ?? 'unknown'} … ${last_response_at?.slice(0, 10) ?? 'unknown'}`,
    ],
  ])
}
