/** Where the sources are run as they are: what a Node needs to read the rest. (Node 20 cannot read even this file.) */
import process from 'node:process'

if (Number.parseInt(process.versions.node, 10) >= 24) await import('./commands/cli/main.ts')
else {
  process.stderr.write(
    `headcount needs Node 24 or newer; this is ${process.version} (see https://nodejs.org)\n`,
  )
  process.exitCode = 1
}
