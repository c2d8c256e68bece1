import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPartFile, removeOldParts } from '../../../src/outputs/files/replace-file.ts'

const signal = new AbortController().signal

test('a finished part of an output that goes on for hours is not taken for one that was killed', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = await mkdtemp(join(tmpdir(), 'headcount-test-parts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const longAgo = new Date(Date.now() - 2 * 3_600_000)
  {
    await using part = await openPartFile(join(folder, 'events.csv'), {
      of: 'export',
      isPersonal: true,
      signal,
    })
    await part.sink.write(Buffer.from('id\n'))
    await part.finish()
    const [name = ''] = await readdir(folder)
    await utimes(join(folder, name), longAgo, longAgo)
    await vi.advanceTimersByTimeAsync(600_000)
    await vi.waitFor(
      async () => expect((await stat(join(folder, name))).mtimeMs).toBeGreaterThan(longAgo.getTime() + 1000),
      { timeout: 30_000 },
    )
    await removeOldParts(folder)
    await part.replace()
    expect(await readdir(folder)).toEqual(['events.csv'])
  }
  await using abandoned = await openPartFile(join(folder, 'a.csv'), {
    of: 'export',
    isPersonal: true,
    signal,
  })
  const killed = (await readdir(folder)).find((name) => name.endsWith('.part')) ?? ''
  await utimes(join(folder, killed), longAgo, longAgo)
  await removeOldParts(folder)
  expect(await readdir(folder)).toEqual(['events.csv'])
  await abandoned[Symbol.asyncDispose]()
})

test('a finished part stays where the clock of the files is hours behind, as on a file server, or in a test that sets the time', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
  onTestFinished(() => void vi.useRealTimers())
  const folder = await mkdtemp(join(tmpdir(), 'headcount-test-parts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await using part = await openPartFile(join(folder, 'a.csv'), { of: 'export', isPersonal: true, signal })
  await part.sink.write(Buffer.from('id\n'))
  await part.finish()
  await removeOldParts(folder)
  await part.replace()
  expect(await readdir(folder)).toEqual(['a.csv'])
})
