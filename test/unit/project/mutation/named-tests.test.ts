import { expect, test } from 'vitest'
import type { Guard } from '../../../mutation/guards/guard.ts'
import { missingNames } from '../../../mutation/named-tests.ts'

const table = [
  '| guard | what it keeps | goes red without it |',
  '|---|---|---|',
  '| brake | small losses are held | the brake holds a \\| b (`unit/brake.test.ts`) |',
  '| lease | one run at a time | the lease is taken once (`integration/lease.test.ts`) |',
].join('\n')

const guard = (name: string, tests: string[], only?: string): Guard => ({
  name,
  promise: '',
  mutation: 'remove',
  tests,
  ...(only !== undefined && { only }),
})

test('a name of a test that is there no more is told, and nothing of files that did not run', () => {
  const guards = [
    guard('brake', ['test/unit/brake.test.ts'], 'holds a'),
    guard('lease', ['test/unit/brake.test.ts', 'test/integration/lease.test.ts'], 'once'),
  ]
  const asked = (names: readonly string[]) =>
    missingNames(table, guards, new Map([['test/unit/brake.test.ts', names]]))
  expect(asked(['the brake holds a | b', 'another'])).toEqual([])
  expect(asked(['the brake holds c'])).toEqual([
    'docs/reliability.md, "brake": test/unit/brake.test.ts has no test "the brake holds a \\| b"',
    'test/mutation/guards, "brake": test/unit/brake.test.ts has no test /holds a/',
  ])
})
