/** The commands that take care of the mirror. */
import * as options from '../options.ts'
import type { Declare } from './declare.ts'

export const careGroup = 'Take care:'

export function declareCare(declare: Declare): void {
  const doctor = declare('doctor', careGroup, async () => (await import('../doctor.ts')).doctor, {
    summary: 'check that everything is ready, and say what to do',
    description:
      'Checks the settings, the way to the service, the key, one list, the database, its schema, the clocks ' +
      'and the free space, one line each. Writes nothing. The exit code is that of the first failing line.',
    examples: [{ line: 'headcount doctor', what: 'before the first run, and when something is wrong' }],
  })
  options.jsonOption(doctor, 'the same')
  options.serviceOptions(doctor)
  options.databaseOption(doctor)

  const migrate = declare('migrate', careGroup, async () => (await import('../migrate.ts')).migrate, {
    summary: 'bring the schema of the database up to date',
    description:
      'Applies the migrations that are pending, each in its own transaction. `sync` does this by itself.',
    examples: [{ line: 'headcount migrate', what: 'as the owner of the database, after an upgrade' }],
  })
  options.jsonOption(migrate, 'what was applied')
  options.quietOption(migrate, 'nothing is written when all goes well')
  options.databaseOption(migrate)

  declare('demo', careGroup, async () => (await import('../demo.ts')).demo, {
    summary: 'a walk through with an invented account, on this machine alone',
    description:
      'Serves an invented account on this machine, mirrors it into the folder ./headcount-demo, lets it change, ' +
      'mirrors it again and asks three questions. It reads no setting and touches no other mirror.',
    examples: [{ line: 'headcount demo', what: 'takes some ten seconds' }],
  })
}
