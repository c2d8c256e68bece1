import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { checkSpace } from '../../../src/commands/maintain/doctor/space-check.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-space-'))
  await writeFile(join(folder, 'file'), '')
})
afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rm(folder, { recursive: true }))

const targets = ['postgres://db.example/mirror', 'pglite:./mirror']

test.each(targets)('free space is told of a folder for temporary files that is there: %s', async (target) => {
  vi.stubEnv('TMPDIR', folder)
  expect((await checkSpace(target)).state).toMatch(/ok|warning/)
})

test.each([
  ['does not exist', 'missing', /missing does not exist .*each list above 4 MB.*TMPDIR$/],
  ['is a file', 'file', /file is no folder, .*TMPDIR$/],
])('that the folder for temporary files %s is a fault', async (_, name, detail) => {
  vi.stubEnv('TMPDIR', join(folder, name))
  for (const target of targets)
    expect(await checkSpace(target)).toMatchObject({
      state: 'failed',
      exit_code: 5,
      detail: expect.stringMatching(detail),
    })
})
