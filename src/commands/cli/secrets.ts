import type { Config, ServiceConfig } from '../../config/config.ts'
import { setOptionNames } from '../../common/option-names.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The last barrier: no message of ours holds a secret, and should one come from elsewhere, it is blotted out. */
export function redactSecrets(config: Config | ServiceConfig, terminal: Terminal): void {
  if ('service' in config) {
    terminal.redact(config.service.apiKey)
    // What messages may say of it is where it came from.
    setOptionNames({ apiKey: config.service.apiKeyFrom })
  }
  const password = URL.parse(config.database.target)?.password ?? ''
  terminal.redact(password)
  terminal.redact(decoded(password))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
