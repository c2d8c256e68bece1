/** The file of a report: whole or as it was, and read by its owner alone when it tells names. */
import {
  chmod,
  lstat,
  mkdir,
  mkdtempDisposable,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { requireReportPath, writeReportFile } from '../../../../src/outputs/report/report-file.ts'

async function folder(): Promise<string> {
  const made = await mkdtempDisposable(join(tmpdir(), 'headcount-test-report-file-'))
  onTestFinished(() => made.remove())
  return made.path
}

const never = new AbortController().signal
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('takes the place of the former one, with a mode by what it tells', async () => {
  const place = await folder()
  const path = join(place, 'report.html')
  await writeFile(path, 'former')
  await chmod(path, 0o644)
  await writeReportFile(path, 'with names', { isPersonal: true, signal: never })
  expect(await readFile(path, 'utf8')).toBe('with names')
  expect(await modeOf(path)).toBe(0o600)
  await writeReportFile(path, 'without', { isPersonal: false, signal: never })
  expect(await readFile(path, 'utf8')).toBe('without')
  expect((await modeOf(path)) & 0o400).toBe(0o400)
  expect((await modeOf(path)) & 0o022).toBe(0)
  expect(await readdir(place)).toEqual(['report.html'])
})

test('takes the place of the file behind a link, which stays a link', async () => {
  const place = await folder()
  await writeFile(join(place, 'real.html'), 'former')
  await symlink('real.html', join(place, 'report.html'))
  await writeReportFile(join(place, 'report.html'), 'new', { isPersonal: false, signal: never })
  expect(await readFile(join(place, 'real.html'), 'utf8')).toBe('new')
  expect((await lstat(join(place, 'report.html'))).isSymbolicLink()).toBe(true)
})

test('stays as it was when the writing ends early', async () => {
  const place = await folder()
  const path = join(place, 'report.html')
  await writeFile(path, 'former')
  const reason = new Error('interrupted')
  const options = { isPersonal: true, signal: AbortSignal.abort(reason) }
  await expect(writeReportFile(path, 'new', options)).rejects.toBe(reason)
  await mkdir(join(place, 'taken'))
  await expect(
    writeReportFile(join(place, 'taken'), 'new', { isPersonal: true, signal: never }),
  ).rejects.toMatchObject({
    code: 'output',
    message: expect.stringContaining('could not be written') as string,
  })
  expect(await readFile(path, 'utf8')).toBe('former')
  expect(await readdir(place)).toEqual(['report.html', 'taken'])
})

test('is refused where no file can be, before anything is read', async () => {
  const place = await folder()
  await writeFile(join(place, 'report.html'), '')
  await symlink('/dev/null', join(place, 'device'))
  await requireReportPath(join(place, 'report.html'))
  await requireReportPath(join(place, 'another.html'))
  const refused: readonly (readonly [string, string])[] = [
    [place, `is a folder: name a file in it, like ${join(place, 'report.html')}`],
    [join(place, 'missing/report.html'), 'there is no folder'],
    [join(place, 'report.html/x'), 'is no folder'],
    [join(place, 'device'), 'is no regular file: name a file, or - for stdout'],
  ]
  for (const [path, message] of refused) await expect(requireReportPath(path), path).rejects.toThrow(message)
})
