/** The lock on a folder, of a PGlite or of an export: one process has it, and that of a dead one goes. */
import { cp, mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DataDirInUseError } from '../../../src/common/errors.ts'
import { lockFolder } from '../../../src/db/lease/folder-lock.ts'
import { currentProcess } from '../../../src/db/lease/process-identity.ts'
import { fastFolder } from '../../support/files/fast-folder.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'

let parent: string
let folder: string
let lock: string

beforeEach(async () => {
  parent = await makeOwnFolder(fastFolder, 'test-lock')
  folder = join(parent, 'data')
  lock = join(folder, 'headcount.lock')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

describe('D15 a folder that is in use', () => {
  test('by this very process', async () => {
    await mkdir(folder)
    const held = await lockFolder(folder, { waitMs: 0 })
    await expect(lockFolder(folder, { waitMs: 0 })).rejects.toThrow('this very process')
    await held.release()
    await (await lockFolder(folder, { waitMs: 0 })).release()
  })

  describe('by a lock that was copied with its folder', () => {
    let copy: string
    beforeEach(async () => {
      copy = join(parent, 'copy')
      await mkdir(folder)
    })
    const age = async (path: string) => {
      const then = new Date(Date.now() - 60_000)
      await utimes(path, then, then)
    }

    test('is opened when no beat comes, while the holder of the other folder keeps that', async () => {
      const held = await lockFolder(folder, { waitMs: 0 })
      await cp(folder, copy, { recursive: true, preserveTimestamps: true })
      await expect(lockFolder(copy, { waitMs: 0 })).rejects.toThrow('If it is a copy of the folder')
      await age(join(copy, 'headcount.lock'))
      const second = await lockFolder(copy, { waitMs: 60_000 })
      expect([held.isHeld(), second.isHeld()]).toEqual([true, true])
      await second.release()
      await held.release()
    })

    test('a folder that was renamed stays locked, however old the beat', async () => {
      const held = await lockFolder(folder, { waitMs: 0 })
      await rename(folder, copy)
      await age(join(copy, 'headcount.lock'))
      await expect(lockFolder(copy, { waitMs: 8000 })).rejects.toThrow('this very process')
      await rename(copy, folder)
      await held.release()
    })

    test('a lock of a former version, which does not name its file, is believed', async () => {
      await writeFile(lock, JSON.stringify({ id: 'former', ...(await currentProcess()) }))
      await age(lock)
      await expect(lockFolder(folder, { waitMs: 8000 })).rejects.toThrow('this very process')
    })
  })

  test('for less than the wait: opened when it is free', async () => {
    await mkdir(folder)
    const held = await lockFolder(folder, { waitMs: 0 })
    setTimeout(() => void held.release(), 300)
    const next = await lockFolder(folder, { waitMs: 60_000 })
    await next.release()
  })

  test('many at once: one after the other has it, never two', async () => {
    await mkdir(folder)
    await writeFile(lock, JSON.stringify({ id: 'dead', ...(await currentProcess()), pid: 2 ** 22 + 1 }))
    let holders = 0
    const turns = Array.from({ length: 8 }, async () => {
      const held = await lockFolder(folder, { waitMs: 20_000 })
      holders += 1
      expect(holders).toBe(1)
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
      held.assertHeld()
      holders -= 1
      await held.release()
    })
    await Promise.all(turns)
    expect(await readdir(folder)).toEqual([])
  })

  test('a process number that is used again by another process does not count', async () => {
    await mkdir(folder)
    await writeFile(
      lock,
      JSON.stringify({ id: 'old', ...(await currentProcess()), pid: process.ppid, started: '1' }),
    )
    await (await lockFolder(folder, { waitMs: 0 })).release()
  })

  describe('from another host or process namespace', () => {
    const elsewhere = async () => ({ id: 'far', ...(await currentProcess()), host: 'elsewhere', pid: 4711 })

    test('stays while its beat is young', async () => {
      await mkdir(folder)
      await writeFile(lock, JSON.stringify(await elsewhere()))
      await expect(lockFolder(folder, { waitMs: 200 })).rejects.toThrow('process 4711 on elsewhere')
    })

    test('a process of the same number, as in another container, is not called this one', async () => {
      await mkdir(folder)
      await writeFile(lock, JSON.stringify({ ...(await elsewhere()), pid: process.pid }))
      await expect(lockFolder(folder, { waitMs: 0 })).rejects.toThrow(
        new RegExp(
          `in use by process ${process.pid} on elsewhere, .*was killed, the folder can be opened 30 s after`,
        ),
      )
    })

    test('is removed when its beat is 30 s old and none came while it was watched', async () => {
      await mkdir(folder)
      await writeFile(lock, JSON.stringify(await elsewhere()))
      const old = new Date(Date.now() - 31_000)
      await utimes(lock, old, old)
      await (await lockFolder(folder, { waitMs: 60_000 })).release()
    })

    test('stays when it still beats, on a clock that is behind', async () => {
      await mkdir(folder)
      await writeFile(lock, JSON.stringify(await elsewhere()))
      let behind = Date.now() - 3_600_000
      const beating = setInterval(() => {
        behind += 1000
        void utimes(lock, new Date(behind), new Date(behind))
      }, 1000)
      await expect(lockFolder(folder, { waitMs: 8000 })).rejects.toThrow(DataDirInUseError)
      clearInterval(beating)
    })
  })
})
