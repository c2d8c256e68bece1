import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { createRunPool, DataDirInUseError } from '../../../../src/index.ts'
import { SharedDatabase } from '../../../../src/orchestration/run-pool/shared-database.ts'
import { engines, freshPlace } from '../../../support/databases/databases.ts'
import { smallAccounts, startPoolStage } from '../../../support/runs/pool-stage.ts'

test('a folder is made by the first run that the service answers, and is one database for all', async () => {
  const stage = await startPoolStage(engines[0] ?? 'postgres')
  onTestFinished(() => stage[Symbol.asyncDispose]())
  await using place = await freshPlace('pglite', { missing: true })
  const folder = place.url.slice('pglite:'.length)
  const service = await stage.service(smallAccounts(4))
  await using runs = createRunPool({ database: place.url })
  await expect(runs.sync({ ...service.of('small0'), apiKey: 'wrong' })).rejects.toThrow('401')
  expect(existsSync(folder)).toBe(false)
  const names = [...service.accounts.keys()]
  const reports = await Promise.all(names.map((name) => runs.sync(service.of(name))))
  expect(reports.map(({ status }) => status)).toEqual(names.map(() => 'succeeded'))
  const verified = await Promise.all(names.map((name) => runs.verify(service.of(name))))
  expect(verified.map(({ status }) => status)).toEqual(names.map(() => 'equal'))
})

test('a folder that is in use is waited for once, not for each account in turn', async () => {
  await using place = await freshPlace('pglite', { blank: true })
  const holder = await place.open()
  await using shared = new SharedDatabase(place.url, { waitForFolderMs: 3000, log: () => {} })
  const began = performance.now()
  for (let account = 0; account < 20; account += 1)
    await expect(shared.open({})).rejects.toBeInstanceOf(DataDirInUseError)
  // Twenty waits would be a minute.
  expect(performance.now() - began).toBeLessThan(30_000)
  await holder.close()
  await shared.open({})
})
