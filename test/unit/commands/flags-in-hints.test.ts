import { describe, expect, test } from 'vitest'
import { withFlagsInHints } from '../../../src/commands/cli/flags-in-hints.ts'
import { commandName, withCommandName } from '../../../src/common/command-name.ts'
import type { Flags } from '../../../src/config/config.ts'

const hintOf = (flags: Flags) => withCommandName('headcount', () => withFlagsInHints(flags, commandName))

describe('what a hint calls the program', () => {
  test.each<[string, Flags, string]>([
    ['nothing was named', {}, 'headcount'],
    ['a folder', { database: 'pglite:./mirror' }, 'headcount --database pglite:./mirror'],
    ['a folder with a blank', { database: 'pglite:a b' }, "headcount --database 'pglite:a b'"],
    [
      'a server, as a user without a password',
      { database: 'postgres://ada@db:5432/mirror' },
      'headcount --database postgres://ada@db:5432/mirror',
    ],
    [
      'files',
      { envFile: ['one.env', 'of the choir'] },
      "headcount --env-file one.env --env-file 'of the choir'",
    ],
  ])('%s', (_, flags, hint) => {
    expect(hintOf(flags)).toBe(hint)
  })

  test.each([
    'postgres://ada:s3cret@db/mirror',
    'postgresql://ada:s3cret@one,two/mirror',
    'POSTGRES://ada:12/s3cret@db/mirror',
    'postgres://ada:12?s3cret@db/mirror',
    'postgres://db/mirror?user=ada&password=s3cret',
    'postgres://db/mirror?sslp%61ssword=s3cret',
    's3cret',
  ])('X6 never the password of %s, and no other database than the one that was asked', (database) => {
    expect(hintOf({ database })).toBe('headcount --database …')
  })

  test('of another database in place of the one before', () => {
    expect(withFlagsInHints({ database: 'pglite:one' }, () => hintOf({ database: 'pglite:two' }))).toBe(
      'headcount --database pglite:two',
    )
  })
})
