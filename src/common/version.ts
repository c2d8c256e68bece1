import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this package, from its package.json (two folders further up in the published form). */
export function version(): string {
  return versionIn(findPackageJSON('..', import.meta.url))
}

/** The version that a package.json names. */
export function versionIn(path: string | undefined): string {
  if (path === undefined) return 'unknown'
  const description: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const isObject = typeof description === 'object' && description !== null
  return isObject && 'version' in description ? String(description.version) : 'unknown'
}
