import type { Shape } from './items.ts'
import type { Place } from './people.ts'

/**
 * A kind of event that one of the three houses of the Lantern network puts on. All of it is invented; dates
 * are counted from the day on which the account is made: there is always something behind and something ahead.
 */
export interface Series {
  /** The event ids are this and the date: `repair-cafe-2026-03-14`. */
  readonly slug: string
  readonly place: Place
  readonly eventType: string
  /** Taken in turn. */
  readonly titles: readonly string[]
  readonly description: string
  readonly location: string
  /** Counted from today, each moved on to the weekday (0 is Sunday) when one is given. */
  readonly days: readonly number[]
  readonly weekday?: number
  /** Hours from local midnight. */
  readonly startsAt: number
  /** Fewest and most responses, once everybody has replied. */
  readonly size: readonly [number, number]
  readonly shapes: readonly (readonly [Shape, number])[]
  /** Of one ticket, in hundredths. */
  readonly price?: number
  readonly slots?: readonly PlannedSlot[]
}

/** Hours from local midnight of the event's day; for a slot of small weight few people sign up. */
type PlannedSlot = readonly [name: string, from: number, to: number, weight: number]

export const timeZones: Record<Place, string> = {
  berlin: 'Europe/Berlin',
  brooklyn: 'America/New_York',
  kolkata: 'Asia/Kolkata',
}

/** What the houses put on from more than a year ago until most of a year ahead. */
export const programme: readonly Series[] = [
  {
    slug: 'open-rehearsal',
    place: 'berlin',
    eventType: 'rsvp',
    titles: ['Open rehearsal of the Lindenhof Choir', 'Open rehearsal: new songs 🎶'],
    description: 'Sit between the voices and sing along. Notes are on the chairs, tea is on the stove.',
    location: 'Lindenhof, Ahornstraße 12, Berlin',
    // The last but one is the next event of the whole programme: everything else comes later.
    days: [-420, -330, -240, -180, -120, -60, 3, 95],
    startsAt: 19.5,
    size: [84, 104],
    shapes: [['reply', 1]],
  },
  {
    slug: 'choir-concert',
    place: 'berlin',
    eventType: 'payment',
    titles: ['Lindenhof Choir: songs of home', 'Lindenhof Choir: from Bach to the Balkans'],
    description: 'Ninety minutes, one interval. Members of the house reply, guests buy a ticket.',
    location: 'Kirche am Anger, Berlin',
    days: [-385, -290, -200, -110, -25, 62, 150],
    weekday: 6,
    startsAt: 18,
    size: [150, 245],
    shapes: [
      ['payment', 3],
      ['reply', 1],
    ],
    price: 1200,
  },
  {
    slug: 'repair-cafe',
    place: 'berlin',
    eventType: 'signup',
    titles: ['Repair café'],
    description: 'Bring what is broken and mend it together with people who know how. Helpers take a slot.',
    location: 'Lindenhof, Ahornstraße 12, Berlin',
    days: [-400, -322, -244, -166, -88, -11, 8, 68, 146, 224],
    weekday: 6,
    startsAt: 10,
    size: [38, 58],
    shapes: [['signup', 1]],
    slots: [
      ['Welcome desk', 9.75, 14.25, 4],
      ['Bicycles', 10, 14, 6],
      ['Lamps and kettles', 10, 14, 5],
      ['Woodwork', 10, 12, 0.05],
      ['Clearing up', 14, 15.5, 0.1],
    ],
  },
  {
    slug: 'school-fair',
    place: 'berlin',
    eventType: 'signup',
    titles: ['School fair at the Lindenhof', 'Flea market and cake'],
    description:
      'Cake, raffle, flea market. Tell us that you come, take a stall shift, or buy raffle tickets ahead.',
    location: 'Grundschule am Lindenhof, Berlin',
    days: [-360, -270, -90, 33],
    weekday: 0,
    startsAt: 11,
    size: [190, 240],
    shapes: [
      ['reply', 4],
      ['payment', 3],
      ['signup', 3],
    ],
    price: 300,
    slots: [
      ['Cake stall, first shift', 10.5, 13, 4],
      ['Cake stall, second shift', 13, 15.5, 3],
      ['Face painting', 11, 15, 0.1],
      ['Taking down the tents', 16, 18, 0.1],
    ],
  },
  {
    slug: 'season-fees',
    place: 'brooklyn',
    eventType: 'payment',
    titles: ['Maple Street FC: season fees'],
    description: 'Pitch, referee and oranges for thirteen weeks. Pay for yourself or for the whole family.',
    location: 'Maple Street playing field, Brooklyn, NY',
    days: [-410, -319, -228, -137, -46, 45],
    weekday: 0,
    startsAt: 9,
    size: [66, 108],
    shapes: [['payment', 1]],
    price: 4500,
  },
  {
    slug: 'garden-day',
    place: 'brooklyn',
    eventType: 'signup',
    titles: ['Garden day: compost and beds', 'Garden day: bulbs and benches'],
    description: 'Gloves and lemonade are provided. Take one slot or stay all day.',
    location: 'Maple Street House, 48 Maple Street, Brooklyn, NY (roof garden)',
    days: [-365, -255, -150, -75, 12, 31, 80, 170],
    weekday: 6,
    startsAt: 9.5,
    size: [30, 46],
    shapes: [['signup', 1]],
    slots: [
      ['Digging', 9.5, 11.5, 4],
      ['Planting', 11.5, 13.5, 5],
      ['Watering cans', 15, 16.5, 0.1],
      ['Tool shed', 16, 17, 0.05],
    ],
  },
  {
    slug: 'story-night',
    place: 'brooklyn',
    eventType: 'rsvp',
    titles: ['Story night: first journeys', 'Story night: the kitchen table'],
    description: 'Five tellers, seven minutes each, no notes. The piano is tuned.',
    location: 'Maple Street House, 48 Maple Street, Brooklyn, NY',
    days: [-340, -210, -130, -90, 18, 130],
    weekday: 2,
    startsAt: 19,
    size: [70, 98],
    shapes: [['reply', 1]],
  },
  {
    slug: 'film-evening',
    place: 'kolkata',
    eventType: 'payment',
    titles: ["Film evening: The Boatman's Daughter", 'Film evening: The Last Tram to Shyambazar'],
    description: 'On the big sheet in the yard, with a talk after the film. Tea and jhalmuri at the door.',
    location: 'Kadamtala House, 7 Lake View Road, Kolkata',
    days: [-395, -310, -255, -170, -95, -33, 14, 55, 140],
    weekday: 5,
    startsAt: 18.75,
    size: [75, 118],
    shapes: [['payment', 1]],
    price: 650,
  },
  {
    slug: 'book-stall',
    place: 'kolkata',
    eventType: 'signup',
    titles: ['Our stall at the book fair', 'Children read aloud'],
    description: 'Two people at the stall at any time, one who reads aloud every hour.',
    location: 'Book fair, hall 2, Kolkata',
    days: [-280, -100, 24, 200],
    weekday: 0,
    startsAt: 11,
    size: [34, 52],
    shapes: [
      ['signup', 4],
      ['reply', 1],
    ],
    slots: [
      ['Stall, morning', 11, 14, 4],
      ['Stall, afternoon', 14, 17, 5],
      ['Stall, evening', 17, 20, 0.1],
    ],
  },
]
