'use strict'
/**
 * Builds `dist`, unless it is up to date: the library as tsc writes it, and the bundle of the command. npm runs it after
 * `npm ci`, and npx when it is first called here. Any Node from 20 on reads it, and it needs no other file of ours, so
 * that an image can have it before the sources.
 */
const { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } = require('node:fs')
const files = require('node:path')

const repository = files.join(__dirname, '..')
const dist = files.join(repository, 'dist')
const compiler = files.join(repository, 'node_modules/typescript/bin/tsc')
const bundler = files.join(repository, 'node_modules/rolldown')

/** The Node 24 that npm ci brings as a package. */
const itsNode = files.join(repository, 'node_modules/node/bin/node')
const isNewEnough = Number.parseInt(process.versions.node, 10) >= 24
const node = isNewEnough ? process.execPath : existsSync(itsNode) ? itsNode : null

/** What is built, by what, and with which packages. */
const sources = [
  'src',
  'migrations',
  'build',
  'package.json',
  'tsconfig.json',
  'tsconfig.library.json',
  'node_modules/.package-lock.json',
]

/** When the build that is there began; null where there is none. */
function timeOfBuild() {
  return statSync(files.join(dist, 'command/cli.cjs'), { throwIfNoEntry: false })?.mtimeMs ?? null
}

/** Was a file here changed since, or taken from or put into a folder? */
function isNewer(path, time) {
  const found = statSync(files.join(repository, path), { throwIfNoEntry: false })
  if (found === undefined || found.mtimeMs > time) return found !== undefined
  return (
    found.isDirectory() &&
    readdirSync(files.join(repository, path)).some((entry) => isNewer(files.join(path, entry), time))
  )
}

/** Runs a script of the build. @returns what it wrote, and whether it went well */
function run(...args) {
  const { spawn } = require('node:child_process')
  const child = spawn(node, args, { cwd: repository, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (said += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ said, ok: code === 0 }))
  })
}

/** Builds beside what is there and then takes its place: a build that was killed leaves the former one, and two at once one. */
async function build() {
  const began = new Date()
  const made = `${dist}.${process.pid}`
  const former = `${made}.former`
  try {
    const parts = await Promise.all([
      run(compiler, '-p', 'tsconfig.library.json', '--outDir', made),
      run(files.join(__dirname, 'command.ts'), files.join(made, 'command')),
    ])
    const failed = parts.filter(({ ok }) => !ok)
    if (failed.length > 0) throw new Error(failed.map(({ said }) => said.trim()).join('\n\n'))
    // What is edited during the build is newer than it.
    utimesSync(files.join(made, 'command/cli.cjs'), began, began)
    unless('ENOENT', () => renameSync(dist, former))
    unless('ENOTEMPTY', () => renameSync(made, dist))
  } finally {
    for (const path of [made, former]) rmSync(path, { recursive: true, force: true })
  }
}

/** Does it, unless another build was quicker. */
function unless(code, rename) {
  try {
    rename()
  } catch (error) {
    if (error.code !== code) throw error
  }
}

/** Why nothing can be built here; null where it can. */
function missing() {
  if (!existsSync(files.join(repository, 'src/cli.ts'))) return 'there are no sources'
  if (!existsSync(compiler) || !existsSync(bundler)) {
    return 'the compiler is a development package, and those are not installed'
  }
  return node === null ? 'that takes Node 24, and the package of it is not installed' : null
}

async function prepare() {
  const reason = missing()
  if (reason !== null) {
    process.stdout.write(`headcount is not built: ${reason}\n`)
    return
  }
  const time = timeOfBuild()
  if (time !== null && !sources.some((path) => isNewer(path, time))) return
  try {
    await build()
  } catch (error) {
    rmSync(dist, { recursive: true, force: true })
    process.stderr.write(`The build failed, and dist is removed:\n\n${error.message}\n`)
    process.exitCode = 1
  }
}

if (require.main === module) void prepare()

module.exports = { isNewer, itsNode, timeOfBuild }
