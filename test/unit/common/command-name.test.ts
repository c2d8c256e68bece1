import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandName, commandNameIn } from '../../../src/common/command-name.ts'

let root: string

/** Makes a folder with these empty files in it. */
async function folder(path: string, ...files: string[]): Promise<string> {
  const made = join(root, path)
  await mkdir(made, { recursive: true })
  for (const file of files) {
    await mkdir(join(made, file, '..'), { recursive: true })
    await writeFile(join(made, file), '')
  }
  return made
}

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'headcount-test-name-')))
})
afterAll(() => rm(root, { recursive: true }))

describe('what help and hints say one should type', () => {
  const npx = 'npx --no -- headcount'

  test('in a checkout: npx, which finds nothing but what is there', async () => {
    const checkout = await folder('checkout', 'package.json', 'src/cli.ts')
    expect(commandNameIn(checkout, checkout)).toBe(npx)
    expect(commandNameIn(checkout, await folder('checkout/docs'))).toBe(npx)
    expect(commandName()).toBe(npx)
  })

  test('elsewhere than in the checkout: its file, as cron and services call it', async () => {
    const checkout = await folder('a checkout', 'package.json', 'src/cli.ts')
    expect(commandNameIn(checkout, root)).toBe(`'${checkout}/src/headcount.cjs'`)
    expect(commandNameIn(await folder('other', 'package.json', 'src/cli.ts'), checkout)).toBe(
      `${root}/other/src/headcount.cjs`,
    )
    const inner = await folder('other/inner', 'package.json')
    expect(commandNameIn(join(root, 'other'), inner)).toBe(`${root}/other/src/headcount.cjs`)
  })

  test('in a project that depends on it: npx', async () => {
    const project = await folder('project', 'package.json')
    const installed = await folder('project/node_modules/headcount', 'package.json')
    expect(commandNameIn(installed, project)).toBe(npx)
    expect(commandNameIn(installed, await folder('project/deep/in/it'))).toBe(npx)
    expect(commandNameIn(installed, root)).toBe(`${installed}/src/headcount.cjs`)
    const linked = await folder('project/node_modules/.pnpm/headcount@1/node_modules/headcount')
    expect(commandNameIn(linked, project)).toBe(npx)
  })

  test('installed globally: the name alone, wherever one is', async () => {
    const installed = await folder('prefix/lib/node_modules/headcount', 'package.json')
    expect(commandNameIn(installed, root)).toBe('headcount')
    expect(commandNameIn(installed, installed)).toBe('headcount')
  })

  test('in an image, which has neither sources nor room for npx: its file', async () => {
    const image = await folder('app', 'package.json', 'dist/command/cli.cjs')
    expect(commandNameIn(image, image)).toBe(`${image}/src/headcount.cjs`)
  })
})
