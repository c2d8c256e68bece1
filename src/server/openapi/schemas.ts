/** What the service answers with: every field of its specification, as narrow as a mirror serves it. */
import type { Named, Schema } from './openapi-types.ts'
import { AMOUNT, EDGE_OF_CALENDAR, TEXT, UTC_TIME, ZONED_TIME } from './patterns.ts'

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const text = (description: string, ...examples: string[]): Schema => ({
  type: 'string',
  pattern: TEXT,
  description,
  examples,
})

const bigint = (description: string, example: number): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum: JSON.rawJSON('-9223372036854775808'),
  maximum: JSON.rawJSON('9223372036854775807'),
  description,
  examples: [example],
})

const utcTime = (description: string, example: string): Schema => ({
  type: 'string',
  format: 'date-time',
  pattern: UTC_TIME,
  description: `${description}, in UTC`,
  examples: [example],
})

const zonedTime = (description: string, example: string): Schema => ({
  type: 'string',
  format: 'date-time',
  pattern: ZONED_TIME,
  not: { pattern: EDGE_OF_CALENDAR },
  description: `${description}, by the clock of the place with its offset`,
  examples: [example],
})

const amount = (description: string, example: string): Schema => ({
  type: 'string',
  pattern: AMOUNT,
  description: `${description}, a decimal number with the digits it came with; no currency is known`,
  examples: [example],
})

/** An object of the service: known fields, and whatever else it had. */
const item = (description: string, required: readonly string[], properties: Named<Schema>): Schema => ({
  type: 'object',
  description,
  ...(required.length > 0 && { required }),
  properties,
  additionalProperties: ref('Anything'),
  propertyNames: { pattern: TEXT },
})

export const responseId = bigint('Names the response within its event', 4101)

export const schemas: Named<Schema> = {
  Ping: item('Who the key belongs to.', [], {
    email: {
      ...text('E-mail address of the owner of the key; left out when it is not known', 'owner@example.org'),
      minLength: 1,
    },
  }),

  Event: item('An event.', ['id'], {
    id: {
      ...text('Names the event in paths; mostly like a slug, but any text may stand here', 'summer-fair'),
      minLength: 1,
      maxLength: 255,
      not: { enum: ['.', '..'] },
    },
    title: text('What the event is called', 'Summer fair'),
    event_at: utcTime('When it takes place', '2026-06-20T16:00:00Z'),
    description: text('Free text', 'Cake, music and a flea market.'),
    event_type: text('Kind of event; other values than `rsvp` occur', 'rsvp'),
    location: text('Free text', 'Lindenhof, Berlin'),
  }),

  Response: item(
    'The reply of one person to an event: a plain reply (with `rsvp` and `quantity`), a payment (with `amount` and `processing_fee`) or a sign-up (with `slots` and `quantity`). One list may have all three, and one response the fields of several.',
    ['id'],
    {
      id: responseId,
      name: text('Name of the respondent', 'Ada Lind'),
      email: text('E-mail address of the respondent, as it was entered', 'ada@example.org'),
      message: text('Free text of the respondent', 'We bring cake.'),
      created_at: utcTime('When it was made', '2026-05-02T09:30:00Z'),
      updated_at: utcTime('When it was last changed', '2026-05-03T18:05:12Z'),
      quantity: bigint('Number of people or units', 2),
      rsvp: text('The reply; other values than `yes` occur', 'yes'),
      amount: amount('What was paid', '12.50'),
      processing_fee: amount('What the payment cost', '0.66'),
      slots: { type: 'array', description: 'What the respondent signed up for', items: ref('Slot') },
    },
  ),

  Slot: item('A slot of a sign-up.', [], {
    name: text('Label of the slot', 'Kitchen'),
    start_date: zonedTime('When it begins', '2026-06-20T14:00:00+02:00'),
    end_date: zonedTime('When it ends', '2026-06-20T16:00:00+02:00'),
  }),

  Anything: {
    description: 'The value of a field that this document does not name: any JSON, given back as it came.',
    // Outside of `else`, programs that make code of the document would take it for a list or an object; a list of types is too much for some.
    if: false,
    else: {
      pattern: TEXT,
      items: ref('Anything'),
      additionalProperties: ref('Anything'),
      propertyNames: { pattern: TEXT },
    },
  },

  Problem: {
    type: 'object',
    description: 'Why there is no answer, after RFC 9457.',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: {
        type: 'string',
        const: 'about:blank',
        description: 'Always `about:blank`: the code tells errors apart',
      },
      title: { type: 'string', minLength: 1, description: 'The error in a few words' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer' },
      detail: { type: 'string', minLength: 1, description: 'What to do' },
      code: { type: 'string', minLength: 1, description: 'The error as a word for programs' },
    },
  },
}

export const listOf = (name: 'Event' | 'Response'): Schema => ({ type: 'array', items: ref(name) })
export const schemaOf = ref
