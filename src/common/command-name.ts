import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import process from 'node:process'
import { stripControlCharsInLine } from './text/strip-control-chars.ts'
import { ownPackage } from './version.ts'

/** How messages name this program; what is missing is found out, or none. */
interface Call {
  readonly name?: string
  readonly flags?: readonly string[]
}

const calls = new AsyncLocalStorage<Call>()

/**
 * What one types to call this program: `npx --no -- headcount` in a checkout and in a project that depends on it,
 * `headcount` where it was installed globally or a bundler has put it into another program, the path of its file everywhere else. Help, hints and messages say no
 * other. Never `npx` without `--no`: that would fetch and run whatever has this name in the registry.
 */
export function commandName(): string {
  const { name = ownCommandName(), flags = [] } = calls.getStore() ?? {}
  return [name, ...flags].join(' ')
}

function ownCommandName(): string {
  const own = ownPackage()
  return own === undefined ? 'headcount' : commandNameIn(dirname(own.path), workingFolder())
}

/** Null where it was removed meanwhile, as by a deployment: hints must not end what they belong to. */
function workingFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}

/** Does the work of somebody who called the program elsewhere, or reads there: messages say the name that is right there. */
export function withCommandName<T>(name: string, work: () => T): T {
  return calls.run({ name }, work)
}

/** In what is sent to people: they read it elsewhere, and where things lie on this machine is not their concern. */
export const NAME_TO_OTHERS = 'headcount'

/** Does work whose messages name the program with these flags, and with no others. @param flags quoted for a shell */
export function withCommandFlags<T>(flags: readonly string[], work: () => T): T {
  return calls.run({ ...calls.getStore(), flags }, work)
}

/** The same for a package in that folder, called in this one. */
export function commandNameIn(packageFolder: string, calledIn: string | null): string {
  const [owner = '', below] = packageFolder.split(`${sep}node_modules${sep}`, 2)
  const isInstalled = below !== undefined
  if (isInstalled && !existsSync(join(owner, 'package.json'))) return 'headcount'
  // An image has the command without its sources, and nowhere for npx to write.
  const isProject = isInstalled || existsSync(join(packageFolder, 'src/cli.ts'))
  if (isProject && calledIn !== null && findProject(calledIn) === owner) return 'npx --no -- headcount'
  return quoteForShell(join(packageFolder, 'src/headcount.cjs'))
}

/** The project that npx finds from a folder: the first above it that has packages. */
function findProject(folder: string): string | null {
  if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'node_modules'))) return folder
  const parent = dirname(folder)
  return parent === folder ? null : findProject(parent)
}

/** A text as one word of a shell. */
export function quoteForShell(text: string): string {
  return /^[\w.@:/-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** The flag that names an account, with the space before it, for the end of a command. */
export function accountFlag(account: string): string {
  return ` --account ${quoteForShell(stripControlCharsInLine(account))}`
}

/** The same; empty for the account that a command means without the flag. */
export function accountFlagIfNeeded(account: string): string {
  return account === 'default' ? '' : accountFlag(account)
}
