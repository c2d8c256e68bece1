import { settings } from '../../../config/settings.ts'
import type { NamedOption } from '../../../common/option-names.ts'

/** What messages call the options by here. */
export const settingNames: Readonly<Record<Exclude<NamedOption, 'apiKey'>, string>> = {
  account: settings.account.flag,
  adopt: 'sync --adopt',
  allowHttp: `${settings.allowHttp.flag} (${settings.allowHttp.variable}=1)`,
  baseUrl: `${settings.baseUrl.flag}, ${settings.baseUrl.variable}`,
  database: '--database',
  expiresAt: '--expires',
  maxBodyBytes: settings.maxBody.flag,
  requestTimeoutMs: settings.requestTimeout.flag,
  restart: '--restart',
  runTimeoutMs: settings.runTimeout.flag,
  timeoutMs: '--timeout',
}
