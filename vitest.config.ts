import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { changeOfTests } from './build/bundle-changes.ts'
import { NamedTests } from './test/mutation/named-tests.ts'

// What Node compiled is kept for the next process: a command of the tests then starts in half of the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node')

const resultsFile = process.env['TEST_RESULTS_FILE']

/** Large files begin first. The simulations are small files, and take longest: begun last, they would run alone in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const isSimulation = ({ project }: TestSpecification) => project.name === 'simulation'
    return [...bySize.filter(isSimulation), ...bySize.filter((file) => !isSimulation(file))]
  }
}

export default defineConfig({
  plugins: [changeOfTests],
  test: {
    // As the bundle has it: build/bundle-changes.ts.
    server: { deps: { inline: ['node-cron'] } },
    pool: 'forks',
    // Young objects get more room, and the heap may grow before all of it is looked through: less time for garbage. Without the second compiler for PGlite short runs are quicker, all tests are not.
    execArgv: ['--max-semi-space-size=32', '--min-semi-space-size=16', '--initial-heap-size=512'],
    // The machine of a developer and of CI has two cores at least; for much of its time a file waits for something.
    maxWorkers: 6,
    // A process runs one file after the other: what it has loaded and compiled, PGlite before all, serves them all.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // On a busy machine what is waited for comes late; by itself vitest waits for a second.
    expect: { poll: { timeout: 30_000 } },
    // A reporter on the command line would replace these: .ci/run names the file of the results here.
    reporters: [
      ...configDefaults.reporters,
      new NamedTests(),
      ...(resultsFile === undefined
        ? []
        : [['json', { outputFile: resultsFile }] satisfies [string, object]]),
    ],
    setupFiles: ['test/support/seed.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'unit', include: ['test/unit/**/*.test.ts', 'bench/studies/requests/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'bench/studies/peers/*.test.ts'],
          globalSetup: ['test/support/set-up.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          globalSetup: ['test/support/commands/bundle.ts'],
        },
      },
    ],
  },
})
