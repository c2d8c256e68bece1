import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guards, withoutGuard } from '../../proof/guards.ts'

const root = join(import.meta.dirname, '../../..')

test('each guard has a name of its own, and there are thirty at least', () => {
  const names = guards.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThanOrEqual(30)
})

test.each(guards)(
  'the guard "$name" stands where the list says, once, and its tests are there',
  async (guard) => {
    const source = await readFile(join(root, guard.file), 'utf8')
    expect(withoutGuard(source, guard)).not.toBe(source)
    expect(guard.tests.filter((file) => !existsSync(join(root, file)))).toEqual([])
  },
)
