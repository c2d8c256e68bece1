/** docs/operate/accounts.schema.json, made from the table of settings: by it editors complete and check an accounts file. */
import { format } from 'prettier'
import { entryKeys, requiredKeys, sharedKeys } from '../../src/config/accounts/keys.ts'
import type { ValueForm } from '../../src/common/parse-values.ts'
import { accountSettings } from '../../src/config/settings.ts'
import { settingText } from './cli.ts'

const ownTexts: ReadonlyMap<string, string> = new Map([
  ['name', 'name of the account in the mirror'],
  ['key_file', 'file that holds the API key of the account; a path is relative to this file'],
  [
    'person_key_file',
    'file that holds the key of the suppression list, once a person was erased; a path is relative to this file',
  ],
])

export async function accountsSchema(): Promise<string> {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Accounts of headcount (HEADCOUNT_ACCOUNTS_FILE)',
    type: 'object',
    additionalProperties: false,
    required: ['accounts'],
    properties: {
      $schema: { type: 'string', description: 'address of this schema, for editors' },
      defaults: {
        description: 'settings of every account that does not set them itself',
        ...mapping(sharedKeys, ['object', 'null']),
      },
      accounts: {
        description: 'the accounts that are mirrored',
        type: 'array',
        minItems: 1,
        items: { ...mapping(entryKeys, 'object'), required: requiredKeys },
      },
    },
    definitions: Object.fromEntries(
      [...entryKeys].map(([key, form]) => [key, { description: describe(key), ...form, ...examples(key) }]),
    ),
  }
  return format(JSON.stringify(schema), { parser: 'json', printWidth: 110 })
}

function mapping(keys: ReadonlyMap<string, ValueForm>, type: string | readonly string[]) {
  const properties = [...keys.keys()].map((key) => [key, { $ref: `#/definitions/${key}` }])
  return { type, additionalProperties: false, properties: Object.fromEntries(properties) }
}

function describe(key: string): string {
  const setting = accountSettings.get(key)
  return ownTexts.get(key) ?? (setting === undefined ? '' : plain(settingText(setting)))
}

/** Without the marks of Markdown, and with the names of the file. */
function plain(text: string): string {
  return text
    .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replaceAll(/[`\\]/g, '')
    .replaceAll('HEADCOUNT_PERSON_KEY_FILE', 'person_key_file')
}

/** Of texts: what they look like is not to be seen from their form. */
function examples(key: string) {
  const setting = accountSettings.get(key)
  if (setting === undefined || setting.read.form?.type === 'boolean') return {}
  const text = setting.example.replaceAll('"', '')
  return { examples: [setting.read.form?.type === 'integer' ? Number(text) : text] }
}
