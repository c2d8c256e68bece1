import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'rolldown'

/** A package whose code is in the bundle. */
interface Bundled {
  readonly title: string
  readonly text: string
}

/** Writes the licences of the packages in the bundle beside it: most of them ask for that. */
export function thirdPartyLicences(): Plugin {
  return {
    name: 'third-party-licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []))
      const bundled = [...folders].map(readPackage).toSorted((a, b) => a.title.localeCompare(b.title))
      const source = bundled.map(({ title, text }) => `${title}\n\n${text}\n`).join(`\n${'-'.repeat(80)}\n\n`)
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source })
    },
  }
}

/** The folder of the package that a module is of; null of ours. */
function packageFolder(module: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module.replaceAll('\\', '/'))?.[0] ?? null
}

/** What package.json says of a package. */
interface Description {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly author?: string | { readonly name: string }
}

function readPackage(folder: string): Bundled {
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Description
  const { name, version, license, author } = description
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const title = `${name} ${version} (${license})`
  if (file !== undefined) return { title, text: readFileSync(join(folder, file), 'utf8').trim() }
  const by = typeof author === 'object' ? author.name : (author ?? 'its authors')
  return { title, text: `By ${by}, under the licence ${license}; the package brings no text of it.` }
}
