import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** The version of this package, from its package.json (two folders further up in the published form). */
export function version(): string {
  return versionIn(ownPackageJson())
}

/** Where the package.json of this package is; undefined where a bundler has put this file into another program. */
export function ownPackageJson(): string | undefined {
  const path = findPackage('..')
  return path !== undefined && describe(path)['name'] === 'headcount' ? path : undefined
}

/** Where the package.json of another package is; undefined where a bundler has put it into another program. */
export function findPackage(specifier: string): string | undefined {
  try {
    return findPackageJSON(specifier, import.meta.url)
  } catch {
    // There is none. Or esbuild made a bundle in CommonJS, in which this file has no URL.
    return undefined
  }
}

/** The version that a package.json names. */
export function versionIn(path: string | undefined): string {
  const found = path === undefined ? null : describe(path)['version']
  return typeof found === 'string' ? found : 'unknown'
}

function describe(path: string): Readonly<Record<string, unknown>> {
  // Node names a folder where no package.json lies above the file.
  if (!path.endsWith('package.json')) return {}
  const description: unknown = JSON.parse(readFileSync(path, 'utf8'))
  return typeof description === 'object' && description !== null ? { ...description } : {}
}
