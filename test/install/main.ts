/**
 * `npm run test:install`: a fresh clone, the same without development packages, and the package installed globally and as a
 * dependency, each called in the way that README prints, under Node 20 and under Node 24 (and the sources under Node 22). Some minutes: npm installs.
 */
import assert from 'node:assert/strict'
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import type { Ran } from '../support/commands/command.ts'
import { inShell, projectFolder } from '../support/commands/npm.ts'
import { runProgram } from '../support/commands/program.ts'

const help = `npm run test:install

  Tries a fresh clone, the same without development packages, and the package installed globally and as a dependency, each called
  in the way that README prints, under Node 20 and under Node 24. Some minutes: npm installs.
`

const folder = await mkdtemp(join(tmpdir(), 'headcount-install-'))
const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
  version: string
}
const NPX = 'npx --no -- headcount'

/** Calls a line of shell with that folder first on the path, and without what `npm run` put there. */
async function call(line: string, cwd: string, firstOnPath: readonly string[]): Promise<Ran> {
  const paths = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const ended = await inShell(line, cwd, { PATH: [...firstOnPath, ...paths].join(delimiter) })
  process.stdout.write(`  ${ended.code}  ${line}   (in ${cwd})\n`)
  return ended
}

async function callWell(line: string, cwd: string, firstOnPath: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await call(line, cwd, firstOnPath)
  assert.equal(code, 0, `${line}\n${stdout}\n${stderr}`)
  return stdout
}

/** A folder with a Node of that version alone. */
async function nodeOf(major: 20 | 22 | 24): Promise<string> {
  if (major === 24) return dirname(process.execPath)
  const place = join(folder, `node-${major}`)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, 'package.json'), '{ "private": true }')
  await callWell(`npm install --no-fund --no-audit node@${major}`, place, [])
  return join(place, 'node_modules/node/bin')
}

/** npm has its own warnings, of the engine of the package and of what a machine sets. */
function withoutNpm(stderr: string): string {
  return stderr.replaceAll(/^npm (warn|notice|error).*\n/gm, '')
}

/** A call of a folder where nothing is yet: its hint is what one types, with the folder that was named. */
async function hint(called: string, cwd: string, node: readonly string[]): Promise<string> {
  const { stderr } = await call(`${called} status --database pglite:./none`, cwd, node)
  return /Run (.*) --database pglite:\.\/none sync first/.exec(stderr)?.[1] ?? stderr
}

async function tryClone(clone: string, node: string): Promise<void> {
  await callWell(`git clone --quiet --no-hardlinks ${projectFolder} ${clone}`, folder, [node])
  await callWell('npm ci --no-fund --no-audit', clone, [node])
  for (const line of [NPX, 'npm run -s headcount --', 'src/headcount.cjs']) {
    assert.equal(await callWell(`${line} --version`, clone, [node]), `${version}\n`)
    assert.equal(await hint(line, clone, [node]), NPX)
  }
  assert.equal(await hint(join(clone, 'src/headcount.cjs'), folder, [node]), join(clone, 'src/headcount.cjs'))
  await callWell('npm run -s demo', clone, [node])
  await callWell(`npm run -s package -- --pack-destination ${folder}`, clone, [node])
}

/** Without a compiler the command has one line to say, in whichever way it is called. */
async function tryWithoutDevelopmentPackages(clone: string, node: string, line: RegExp): Promise<void> {
  await rm(join(clone, 'dist'), { recursive: true })
  const installed = await callWell('npm ci --omit=dev --no-fund --no-audit', clone, [node])
  assert.match(installed, /^headcount is not built: the compiler is a development package/m)
  for (const called of [NPX, 'npm run -s headcount --', 'src/headcount.cjs']) {
    const { code, stdout, stderr } = await call(`${called} sync`, clone, [node])
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(withoutNpm(stderr), line)
  }
}

async function tryPackage(prefix: string, node: string): Promise<void> {
  const file = join(folder, `headcount-${version}.tgz`)
  const empty = join(prefix, 'empty')
  const project = join(prefix, 'project')
  await mkdir(empty, { recursive: true })
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  const onPath = [join(prefix, 'bin'), node]
  await callWell(`npm install --global --prefix ${prefix} --no-fund --no-audit ${file}`, empty, onPath)
  await callWell(`npm install --no-fund --no-audit ${file}`, project, [node])
  if (node === dirname(process.execPath)) {
    assert.equal(await callWell('headcount --version', empty, onPath), `${version}\n`)
    await access(join(prefix, 'share/man/man1/headcount.1'))
    assert.equal(await hint('headcount', empty, onPath), 'headcount')
    await callWell('headcount demo', empty, onPath)
    assert.equal(await hint(NPX, project, [node]), NPX)
    return
  }
  for (const [line, cwd] of [['headcount sync', empty] as const, [`${NPX} sync`, project] as const]) {
    const { code, stdout, stderr } = await call(line, cwd, onPath)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(withoutNpm(stderr), /^headcount needs Node 24 or newer; this is v20\..*\n$/)
  }
}

async function main(): Promise<boolean> {
  for (const major of [20, 24] as const) {
    process.stdout.write(`Node ${major}\n`)
    const node = await nodeOf(major)
    const clone = join(folder, `clone-${major}`)
    await tryClone(clone, node)
    const sources = await call('node src/cli.ts --version', clone, [await nodeOf(22)])
    assert.equal(sources.code, 1)
    assert.match(sources.stderr, /^headcount needs Node 24 or newer; this is v22\..*\n$/)
    await tryPackage(join(folder, `prefix-${major}`), node)
    const line =
      major === 20 ? /^headcount needs Node 24 or newer.*\n$/ : /^headcount is not built here: .*\n$/
    await tryWithoutDevelopmentPackages(clone, node, line)
  }
  process.stdout.write('every call ended as it should\n')
  return true
}

try {
  process.exitCode = await runProgram(help, {}, main)
} finally {
  await rm(folder, { recursive: true, force: true })
}
