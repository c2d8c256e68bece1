/**
 * Properties are tried on the same examples in every run, so that a failure is the change's own. Others are tried
 * with `SEED=<number> npm test -- --project unit`.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20261121) })
