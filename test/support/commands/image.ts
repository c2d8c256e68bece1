/**
 * What a container engine makes of the Dockerfile, as far as one can without an engine: its very instructions are
 * read, and its very commands run in folders that stand for the file systems of its stages.
 */
import { chmod, copyFile, cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { projectFolder, shell } from './npm.ts'

export interface Instruction {
  readonly word: string
  readonly rest: string
}

export interface Stage {
  readonly base: string
  readonly name: string | null
  readonly instructions: readonly Instruction[]
}

export async function readStages(): Promise<readonly Stage[]> {
  const text = await readFile(join(projectFolder, 'Dockerfile'), 'utf8')
  const stages: { base: string; name: string | null; instructions: Instruction[] }[] = []
  for (const line of text.split('\n').filter((line) => /^[A-Z]/.test(line))) {
    const [word = ''] = line.split(' ')
    const rest = line.slice(word.length + 1)
    if (word === 'FROM') {
      const [base = '', , name = null] = rest.split(' ')
      stages.push({ base, name, instructions: [] })
    } else {
      stages.at(-1)?.instructions.push({ word, rest })
    }
  }
  return stages
}

/** The last instruction with this word: the one that counts. */
export function last(stage: Stage, word: string): string {
  const found = stage.instructions.findLast((instruction) => instruction.word === word)
  if (found === undefined) throw new Error(`the stage has no ${word}`)
  return found.rest
}

/** The words of a command in the form that needs no shell. */
export function words(json: string): readonly string[] {
  return JSON.parse(json) as string[]
}

export interface Image {
  /** Stands for `/` of the container. */
  readonly root: string
  readonly environment: Readonly<Record<string, string>>
  /** Of ENTRYPOINT, CMD and HEALTHCHECK, with paths below the root. */
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly healthCheck: readonly string[]
  readonly workingFolder: string
}

/**
 * Carries out the instructions of every stage below the folder; `owner` stands for the image's user.
 * Nothing but Node is on the search path of the result, as in the slim image (and a shell, in truth).
 */
export async function buildImage(folder: string, owner: { uid: number; gid: number }): Promise<Image> {
  const stages = await readStages()
  const roots = new Map<string, string>()
  let root = ''
  let workingFolder = ''
  let environment: Record<string, string> = {}
  for (const [place, stage] of stages.entries()) {
    root = join(folder, `stage-${place}`)
    if (stage.name !== null) roots.set(stage.name, root)
    await mkdir(join(root, 'usr/local/bin'), { recursive: true })
    workingFolder = root
    environment = {}
    for (const { word, rest } of stage.instructions) {
      if (word === 'WORKDIR') await mkdir((workingFolder = join(root, rest)), { recursive: true })
      else if (word === 'ENV') environment = { ...environment, ...variables(rest, root) }
      else if (word === 'COPY') await copy(rest, roots, workingFolder)
      else if (word === 'RUN' && rest === 'npm ci') await install(workingFolder)
      else if (word === 'RUN') await shell(inRoot(rest, root, owner), workingFolder, environment)
    }
  }
  const final = stages.at(-1)
  if (final === undefined) throw new Error('the Dockerfile has no stage')
  await mkdir(join(root, 'bin'))
  await copyFile(process.execPath, join(root, 'bin/node'))
  await chmod(join(root, 'bin/node'), 0o755)
  const below = (word: string) => (word.startsWith('/') ? join(root, word) : word)
  return {
    root,
    environment: { ...environment, PATH: `${join(root, 'bin')}:${join(root, 'usr/local/bin')}` },
    entrypoint: words(last(final, 'ENTRYPOINT')).map(below),
    command: words(last(final, 'CMD')),
    healthCheck: words(last(final, 'HEALTHCHECK').replace(/^.*? CMD /, '')),
    workingFolder,
  }
}

/**
 * What `npm ci` leaves: the packages of this checkout, which it made of the same lock file, and what `prepare` says before there are
 * sources. `npm run test:install` calls it in earnest.
 */
async function install(workingFolder: string): Promise<void> {
  await symlink(join(projectFolder, 'node_modules'), join(workingFolder, 'node_modules'))
  await shell('npm run -s prepare', workingFolder)
}

function variables(rest: string, root: string): Record<string, string> {
  const pairs = rest.split(' ').map((pair) => pair.split('='))
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value.replace(/^\//, `${root}/`)]))
}

/** Absolute paths become paths below the root, and the image's user the one that stands for it. */
function inRoot(line: string, root: string, { uid, gid }: { uid: number; gid: number }): string {
  return line.replaceAll(/(?<= )\/(?=\w)/g, `${root}/`).replaceAll('node:node', `${uid}:${gid}`)
}

async function copy(rest: string, roots: ReadonlyMap<string, string>, workingFolder: string): Promise<void> {
  const from = /^--from=(\S+) /.exec(rest)
  const source = from === null ? projectFolder : roots.get(from[1] ?? '')
  if (source === undefined) throw new Error(`COPY from a stage that is not there: ${rest}`)
  const paths = rest.slice(from?.[0].length ?? 0).split(' ')
  const to = paths.pop() ?? ''
  for (const path of paths) {
    if (from === null) await requireInContext(path)
    const target = to.endsWith('/') ? join(workingFolder, to, basename(path)) : join(workingFolder, to)
    await mkdir(dirname(target), { recursive: true })
    await cp(join(source, path), target, { recursive: true, verbatimSymlinks: true })
  }
}

/** The engine sees only what .dockerignore lets through. */
async function requireInContext(path: string): Promise<void> {
  const rules = (await readFile(join(projectFolder, '.dockerignore'), 'utf8')).split('\n')
  const [first = ''] = path.replace(/^\.\//, '').split('/')
  if (!rules.includes(`!${first}`)) throw new Error(`.dockerignore keeps ${path} out`)
}
