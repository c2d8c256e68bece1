import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { bundleChanges } from './bundle-changes.ts'
import { thirdPartyLicences } from './licences.ts'
import { writeDataDir } from './pglite-data-dir.ts'

const repository = join(import.meta.dirname, '..')

/**
 * Writes the command line and all that it uses into a few files, each loaded when a command needs it: finding and
 * reading 620 took two thirds of a start. The library stays as tsc writes it, so that kysely and pg are those of the
 * program that it is part of.
 *
 * `sourcemap`: with the maps that tell which line came from where, twice as large as the bundle itself.
 */
export async function bundleCommand(folder: string, { sourcemap = false } = {}): Promise<void> {
  await build({
    cwd: repository,
    input: { cli: 'src/commands/cli/main.ts' },
    platform: 'node',
    // PGlite reads files that lie beside its own code; pg looks for pg-native and does without.
    external: ['@electric-sql/pglite', 'pg-native'],
    plugins: [thirdPartyLicences(), ...bundleChanges],
    output: {
      dir: folder,
      // Node's loader of CommonJS is the quicker one: it neither links nor waits.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      sourcemap,
      // What every command shares is one file and not a dozen of a few lines.
      codeSplitting: {
        groups: [
          {
            name: 'common',
            test: /[\\/]src[\\/](?:common[\\/]|db[\\/](?:errors[\\/]|transaction)|commands[\\/]output[\\/]format[\\/]timestamp)/,
          },
          // What every run asks whether somebody looks, and what only those load who do.
          {
            name: 'telemetry',
            test: /[\\/]src[\\/](?:telemetry[\\/](?!sdk[\\/])|commands[\\/]sync[\\/]with-telemetry|config[\\/]read-telemetry)|[\\/]@opentelemetry[\\/](?:api|semantic-conventions)[\\/]/,
          },
          { name: 'telemetry-sdk', test: /[\\/]src[\\/]telemetry[\\/]sdk[\\/]|[\\/]@opentelemetry[\\/]/ },
          // By itself it would be called sync, as the command is.
          { name: 'csv-stringify', test: /[\\/]csv-stringify[\\/]/ },
        ],
      },
      comments: { legal: true, annotation: true, jsdoc: false },
    },
  })
  await writeDataDir(folder)
}

if (import.meta.main) await bundleCommand(resolve(process.argv[2] ?? join(repository, 'dist/command')))
