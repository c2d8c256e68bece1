/** An answer of each endpoint; the names are invented. */

export const ping = { email: 'owner@example.org' }

export const events = [
  {
    id: 'summer-fair',
    title: 'Summer fair',
    event_at: '2026-06-20T16:00:00Z',
    description: 'Cake, music and a flea market.',
    event_type: 'rsvp',
    location: 'Lindenhof, Berlin',
  },
]

/** A reply, a payment and a sign-up. */
export const responses = [
  {
    id: 4101,
    name: 'Ada Lind',
    email: 'ada@example.org',
    message: 'We bring cake.',
    created_at: '2026-05-02T09:30:00Z',
    updated_at: '2026-05-03T18:05:12Z',
    quantity: 2,
    rsvp: 'yes',
  },
  {
    id: 4107,
    name: 'Ravi Sen',
    email: 'ravi@example.org',
    created_at: '2026-05-04T11:00:00Z',
    updated_at: '2026-05-04T11:00:00Z',
    amount: '12.50',
    processing_fee: '0.66',
  },
  {
    id: 4112,
    name: 'Mika Brandt',
    email: 'mika@example.org',
    created_at: '2026-05-05T20:15:00Z',
    updated_at: '2026-05-05T20:15:00Z',
    quantity: 1,
    slots: [
      { name: 'Kitchen', start_date: '2026-06-20T14:00:00+02:00', end_date: '2026-06-20T16:00:00+02:00' },
    ],
  },
]
