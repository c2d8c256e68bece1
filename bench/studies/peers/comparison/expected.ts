import { createAccount, edit } from '../../../account/account.ts'
import type { Account, AccountShape, SentResponse } from '../../../account/account.ts'
import { fatesIn } from '../../../account/versions.ts'
import type { Version } from '../../../account/versions.ts'
import { eventRow, paymentRow, responseRow, slotRows } from '../../../account/rows.ts'
import type { Row, TableName } from '../../../account/rows.ts'

/** What a mirror must hold of one event. */
export type ExpectedEvent = { readonly id: string } & Readonly<Record<TableName, readonly Row[]>>

/** What a mirror of a version of an account must hold, event by event in the order of their ids. */
export function* expectedEvents(shape: AccountShape, version: Version): Generator<ExpectedEvent> {
  const account = createAccount(shape)
  for (let place = 0; place < shape.events; place++) {
    const event = account.event(place)
    const responses = [...sentResponses(account, version, place)]
    yield {
      id: event.id,
      events: [eventRow(event)],
      responses: responses.map((response) => responseRow(event.id, response)),
      payments: responses.flatMap((response) => {
        const payment = paymentRow(event.id, response)
        return payment === null ? [] : [payment]
      }),
      slots: responses.flatMap((response) => slotRows(event.id, response)),
    }
  }
}

function* sentResponses(account: Account, version: Version, place: number): Generator<SentResponse> {
  const fateOf = fatesIn(version, account.shape, place)
  let index = 0
  for (const response of account.responses(place)) {
    const fate = fateOf?.(index) ?? 'same'
    index += 1
    if (fate !== 'deleted') yield fate === 'edited' ? edit(response) : response
  }
}
