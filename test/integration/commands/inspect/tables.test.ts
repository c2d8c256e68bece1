/** `headcount tables`: what the mirror holds, told by the comments in the database. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { onBothCommandStages, onPostgresCommandStage } from '../../../support/commands/command-stage.ts'
import type { SchemaDescription } from '../../../../src/mirror/query/describe-schema.ts'

onBothCommandStages('tables', (stage) => {
  test('describes tables, views and the functions meant for people, before the first run too', async () => {
    await using s = await stage(accountOf({ gala: 1 }))
    const ran = await s.run(['tables', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { tables, views, functions } = JSON.parse(ran.stdout) as SchemaDescription
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['events', 'responses', 'sync_runs']),
    )
    expect(views.map(({ name }) => name)).toContain('response_details')
    expect([...new Set(functions.map(({ name }) => name))]).toEqual([
      'email_key',
      'events_at',
      'payments_at',
      'people_of',
      'responses_at',
      'slots_at',
    ])
    const columns = [...tables, ...views, ...functions].flatMap((object) => object.columns)
    const comments = [...tables, ...views, ...functions, ...columns].map(({ comment }) => comment)
    expect(comments.filter((comment) => comment === null || comment === '')).toEqual([])

    const payments = await s.run(['tables', 'headcount.Payments', '--json'])
    expect(JSON.parse(payments.stdout)).toEqual({
      tables: [
        {
          name: 'payments',
          comment: expect.stringContaining('one row for each response'),
          columns: [
            { name: 'account_id', type: 'int', key: true, comment: 'The account (accounts.id).' },
            { name: 'event_id', type: 'text', key: true, comment: 'The event (events.id).' },
            { name: 'response_id', type: 'bigint', key: true, comment: 'The response (responses.id).' },
            expect.objectContaining({ name: 'amount', type: 'numeric', key: false }),
            expect.objectContaining({ name: 'processing_fee', type: 'numeric', key: false }),
          ],
        },
      ],
      views: [],
      functions: [],
    })
  })
})

onPostgresCommandStage('tables for people', (stage) => {
  test('a name shows its columns; a name that is none suggests the nearest', async () => {
    await using s = await stage(accountOf({ gala: 1 }))
    const list = await s.run(['tables'])
    expect(list.stdout).toContain(
      '  list_status         How each list stands: when it was checked, what is held, rejected or failing.\n',
    )
    const forms = await s.run(['tables', 'slots_at'])
    expect(forms.stdout).toMatch(
      /^function slots_at\(instant timestamptz\)\n.+\n\nfunction slots_at\(account text, instant timestamptz\)\n.+\n\n  account_id +int/,
    )
    expect(forms.stdout.match(/start_local/g)).toHaveLength(1)

    const unknown = await s.run(['tables', 'evnts'])
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toMatch(
      /^headcount: The mirror has no table, view or function "evnts" \(did you mean events\?\)\. All of them: .*headcount\S* tables\n$/,
    )
  })

  test.each([80, 120])('fits a terminal of %i columns, and cuts nothing', async (columns) => {
    await using s = await stage(accountOf({ gala: 1 }))
    const document = JSON.parse((await s.run(['tables', '--json'])).stdout) as SchemaDescription
    const printed = async (...words: string[]) => {
      const { code, stdout } = await s.run(['tables', ...words], { columns })
      expect(code).toBe(0)
      // The last line names the program by its path, which is as long as the machine has it.
      const lines = stdout.split('\n').filter((line) => !line.startsWith('The columns'))
      expect(lines.filter((line) => line.length > columns)).toEqual([])
      return stdout
    }
    const list = await printed()
    for (const { name } of Object.values(document).flat()) expect(list).toContain(`  ${name}`)

    for (const { name, columns: described } of [...document.tables, ...document.views]) {
      const words = new Set((await printed(name)).split(/\s+/))
      const expected = described.flatMap(({ name: column, type, comment }) => [
        column,
        type,
        ...(comment ?? '').split(' '),
      ])
      expect(expected.filter((word) => !words.has(word))).toEqual([])
    }
  })
})
