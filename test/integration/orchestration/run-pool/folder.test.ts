import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRunPool } from '../../../../src/index.ts'
import { engines } from '../../../support/databases/databases.ts'
import { smallAccounts, startPoolStage } from '../../../support/runs/pool-stage.ts'

test('a folder is made by the first run that the service answers, and is one database for all', async () => {
  const stage = await startPoolStage(engines[0] ?? 'postgres')
  onTestFinished(() => stage[Symbol.asyncDispose]())
  const parent = await mkdtemp(join(tmpdir(), 'headcount-test-pool-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const folder = join(parent, 'data')
  const service = await stage.service(smallAccounts(4))
  await using runs = createRunPool({ database: `pglite:${folder}` })
  await expect(runs.sync({ ...service.of('small0'), apiKey: 'wrong' })).rejects.toThrow('401')
  expect(existsSync(folder)).toBe(false)
  const names = [...service.accounts.keys()]
  const reports = await Promise.all(names.map((name) => runs.sync(service.of(name))))
  expect(reports.map(({ status }) => status)).toEqual(names.map(() => 'succeeded'))
  const verified = await Promise.all(names.map((name) => runs.verify(service.of(name))))
  expect(verified.map(({ status }) => status)).toEqual(names.map(() => 'equal'))
})
