import { expect, test } from 'vitest'
import { nearestZone } from '../../../src/mirror/accounts/set-time-zone.ts'

const names = ['America/New_York', 'Asia/Tokyo', 'Europe/Berlin', 'Iran', 'UTC', 'posix/Europe/Berlim']

test.each([
  ['europe/berlin', 'Europe/Berlin'],
  ['Europe/Berlim', 'Europe/Berlin'],
  ['Berlin', 'Europe/Berlin'],
  ['New York', 'America/New_York'],
  ['utc', 'UTC'],
  ['+02:00', null],
  ['', null],
  ['Mars/Olympus', null],
])('of %s the nearest zone is %s', (word, zone) => {
  expect(nearestZone(word, names)).toBe(zone)
})
