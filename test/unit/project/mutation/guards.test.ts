import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { guards } from '../../../mutation/guards.ts'
import { findMarkers, mutate } from '../../../mutation/markers.ts'

const root = join(import.meta.dirname, '../../../..')
const markers = await findMarkers(root)
const names = guards.map(({ name }) => name)

test('each guard has a name of its own, is marked once in src, and its tests are there', () => {
  expect(names.length).toBeGreaterThanOrEqual(30)
  expect(markers.map(({ name }) => name).toSorted()).toEqual([...new Set(names)].toSorted())
  expect(guards.flatMap(({ tests }) => tests.filter((file) => !existsSync(join(root, file))))).toEqual([])
})

// Syntax, names that nothing declares, and members that a type lacks; that code is unreachable or unused is meant.
const meaningless = /: error TS(?:1\d{3}|2304|2339|2353|2551|2552|2554|2561|2584|18004): /

test('every mutant is a program that means something: it parses, and its names are there', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-mutants-'))
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'))
    // What a mutant imports is found beside the file that it was.
    const compilerOptions = { rootDirs: [folder, root], rootDir: '/', noUnusedLocals: false }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['src'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    for (const [place, guard] of guards.entries()) {
      const { file, mutated } = mutate(guard, markers)
      const path = join(folder, file.replace(/\.ts$/, `.mutant-${place}.ts`))
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, mutated)
    }
    await writeFile(join(folder, 'src/unknown.ts'), 'unknownName')
    const said = await new Promise<string>((resolve) => {
      const args = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--pretty', 'false']
      execFile(process.execPath, args, { cwd: folder, maxBuffer: 1e8 }, (_error, stdout) => resolve(stdout))
    })
    const lines = said.split('\n').filter((line) => meaningless.test(line))
    expect(lines.map((line) => line.replace(/mutant-(\d+)/, (_, at) => names[Number(at)] ?? ''))).toEqual([
      "src/unknown.ts(1,1): error TS2304: Cannot find name 'unknownName'.",
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
