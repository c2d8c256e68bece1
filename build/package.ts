/** `npm run package`: the package as others get it, packed from a folder of its own. Takes the flags of `npm pack`. */
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const repository = join(import.meta.dirname, '..')

/** What package.json says to who installs the package. */
const told = [
  'name',
  'version',
  'description',
  'license',
  'type',
  'engines',
  'bin',
  'man',
  'exports',
  'dependencies',
]

async function stage(folder: string): Promise<void> {
  const description = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >
  const own = Object.fromEntries(told.map((name) => [name, description[name]]))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
  await cp(join(import.meta.dirname, 'package-readme.md'), join(folder, 'README.md'))
  for (const path of [
    'LICENSE',
    'CHANGELOG.md',
    'build/headcount.1',
    'docs',
    'src/headcount.cjs',
    'dist/command',
    'dist/migrations',
    'dist/src',
  ]) {
    await cp(join(repository, path), join(folder, path), { recursive: true })
  }
}

const folder = await mkdtemp(join(tmpdir(), 'headcount-package-'))
try {
  await stage(folder)
  const { status } = spawnSync('npm', ['pack', folder, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} finally {
  await rm(folder, { recursive: true })
}
