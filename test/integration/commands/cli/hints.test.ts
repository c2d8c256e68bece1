/** The commands that messages tell people to type. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { headcount } from '../../../support/commands/command.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'

test('a hint pasted as printed asks the mirror that --database has named', async () => {
  await using s = await commandStage('pglite', accountOf({ gala: 2 }))
  expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
  const { code, stderr } = await headcount(['event', 'nope', '--database', s.place.url])
  expect(code).toBe(2)
  const [, hint = ''] = /See the ids with: headcount (.+)\n/.exec(stderr) ?? []
  expect(hint).toBe(`--database ${s.place.url} events --all`)
  const pasted = await headcount(hint.split(' '))
  expect(pasted).toMatchObject({ code: 0, stderr: '' })
  expect(pasted.stdout).toContain('gala')
  const unnamed = await s.run(['event', 'nope'])
  expect(unnamed.stderr).toContain('See the ids with: headcount events --all')
})

test('--database before the name of a command is for those that take it', async () => {
  for (const args of [['demo'], ['completion', 'bash']])
    expect(await headcount(['--database', 'pglite:nowhere', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `headcount: ${args[0]} has no flag --database; see headcount ${args[0]} --help\n`,
    })
})
