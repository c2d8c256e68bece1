import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'

/** What a package.json tells. */
export interface PackageDescription {
  /** Of the package.json. */
  readonly path: string
  readonly name: unknown
  /** `unknown` where the package.json names none. */
  readonly version: string
}

/** The version of this package, from its package.json (two folders further up in the published form). */
export function version(): string {
  return ownPackage()?.version ?? 'unknown'
}

/** This package; undefined where a bundler has put this file into another program. */
export function ownPackage(): PackageDescription | undefined {
  const found = findPackage('..')
  return found?.name === 'headcount' ? found : undefined
}

/** Another package; undefined where a bundler has put it into another program. */
export function findPackage(specifier: string): PackageDescription | undefined {
  const path = packageJson(specifier)
  // Node names a folder where no package.json lies above the file.
  if (path === undefined || !path.endsWith('package.json')) return undefined
  const content: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const { name, version: named }: Readonly<Record<string, unknown>> = { ...(content as object) }
  return { path, name, version: typeof named === 'string' ? named : 'unknown' }
}

function packageJson(specifier: string): string | undefined {
  try {
    return findPackageJSON(specifier, import.meta.url)
  } catch {
    // There is none. Or esbuild made a bundle in CommonJS, in which this file has no URL.
    return undefined
  }
}
