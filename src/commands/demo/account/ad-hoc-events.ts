import { at, lindenhof, slot, weekdays, type Series } from './series.ts'

/** What is announced now and then while the account moves on; the days are counted from the step. */
export const adHocEvents: readonly Series[] = [
  {
    slug: 'clothes-swap',
    place: 'berlin',
    eventType: 'rsvp',
    titles: ['Clothes swap: five in, five out'],
    description: 'Clean and whole, please. What is left goes to the night shelter.',
    location: lindenhof,
    when: { days: [21, 35, 49], weekday: weekdays.sunday },
    startsAt: at(14),
    size: [2, 5],
    shapes: [['reply', 1]],
  },
  {
    slug: 'street-football',
    place: 'brooklyn',
    eventType: 'signup',
    titles: ['Street football for all ages'],
    description: 'Small goals, soft balls. Referees and snack people wanted.',
    location: 'Maple Street, Brooklyn, NY',
    when: { days: [17, 38, 59], weekday: weekdays.saturday },
    startsAt: at(13),
    size: [3, 6],
    shapes: [['signup', 1]],
    slots: [
      slot('Referee', at(13), at(15)),
      slot('Snacks', at(13), at(16), 1),
      slot('Nets and cones', at(12), at(13), 0.2),
    ],
  },
  {
    slug: 'kite-morning',
    place: 'kolkata',
    eventType: 'payment',
    titles: ['Kite morning: build and fly'],
    description: 'Paper, bamboo and string are in the price.',
    location: 'Lake View meadow, Kolkata',
    when: { days: [19, 33, 61], weekday: weekdays.sunday },
    startsAt: at(8),
    size: [3, 6],
    shapes: [['payment', 1]],
    price: 250,
  },
]
