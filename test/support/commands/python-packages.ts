import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const LONGEST_INSTALLATION_MS = 10 * 60_000

/**
 * Installs the packages of a peer into a folder of their own, with their ordinary client, and gives the Python that has
 * them. Nothing is done when the folder has just these.
 *
 * @throws Error when there is no python3 with venv, or the packages cannot be had.
 */
export async function installPackages(requirements: string, folder: string): Promise<string> {
  const python = join(folder, 'bin/python')
  const installed = join(folder, 'requirements.txt')
  if ((await textOf(installed)) === (await readFile(requirements, 'utf8'))) return python
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await run('python3', ['-m', 'venv', folder]).catch((cause: unknown) => {
    throw new Error('there is no python3 with venv on this machine (Debian: apt install python3-venv)', {
      cause,
    })
  })
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]
  await run(python, args, { timeout: LONGEST_INSTALLATION_MS }).catch((cause: unknown) => {
    throw new Error('its packages could not be installed', { cause })
  })
  await copyFile(requirements, installed)
  return python
}

/** Null when there is no such file. */
async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}
