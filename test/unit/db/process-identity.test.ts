import { afterEach, expect, test, vi } from 'vitest'
import { currentProcess, hasExited } from '../../../src/db/lease/process-identity.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('where ps says when a process began, one of another time zone or language is the same', async () => {
  // As on macOS; there the language of a terminal is another one than that of cron.
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'freebsd' } }))
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const holder = await currentProcess()
  vi.stubEnv('TZ', 'America/New_York')
  expect(await hasExited(holder)).toBe(false)
  expect(await hasExited({ ...holder, started: 'Thu Jan  1 00:00:00 1970' })).toBe(holder.started !== '')
})
