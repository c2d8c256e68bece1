/** The text of an accounts file: YAML 1.2, of which JSON is a part. */
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type ErrorCode,
  type Node,
} from 'yaml'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { ConfigurationError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import { entryKeys, sharedKeys } from './keys.ts'
import { readMapping, type FileMapping, type Nodes } from './mapping.ts'

export interface AccountsFile {
  /** What all accounts share; null when there is nothing. */
  readonly defaults: FileMapping | null
  /** In the file's order. */
  readonly entries: readonly FileMapping[]
}

const rootKeys = ['accounts', 'defaults', '$schema'] as const
const EXAMPLE = 'accounts:\n  - name: ada\n    key_file: keys/ada.key'

/** Faults of the whole file that are listed: after a first one a parser finds many that are none. */
const MAX_LISTED = 5

/**
 * Reads the file as far as the names of the settings go; what their values mean is for the table of settings.
 *
 * @param path for messages
 * @throws ConfigurationError when the file as a whole cannot be used; a faulty entry has its faults beside it
 */
export function parseAccountsFile(text: string, path: string): AccountsFile {
  const lines = new LineCounter()
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${path}:${Math.max(line, 1)}:${Math.max(col, 1)}`
  }
  const document = parse(text, lines, path)
  const errors = firstOfLines([...document.errors, ...document.warnings], lines).slice(0, MAX_LISTED)
  if (errors.length > 0)
    throw new ConfigurationError(
      errors.map((error) => `${placeAt(error.pos[0])}: not YAML: ${inWords(error)}`),
    )
  const nodes = nodesOf(document, placeAt)
  const root = readRoot(document, nodes, path)
  const defaults = isNode(root.defaults) ? readMapping(root.defaults, sharedKeys, nodes) : null
  if (defaults !== null && defaults.faults.length > 0) throw new ConfigurationError(defaults.faults)
  return { defaults, entries: root.entries.map((node) => readMapping(node, entryKeys, nodes)) }
}

function parse(text: string, lineCounter: LineCounter, path: string): Document {
  try {
    // Messages must not show lines of the file: somebody may have put a key there.
    const options = { lineCounter, prettyErrors: false, uniqueKeys: false, stringKeys: true } as const
    return parseDocument(text, { ...options, logLevel: 'error', resolveKnownTags: false })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ConfigurationError([`${path}: is nested too deeply: it needs three levels`])
  }
}

const QUOTES = 'put a text that begins with * into quotes, like schedule: "*/15 * * * *"'

/** Of one line, a parser finds what follows from the first. */
function firstOfLines<E extends { readonly pos: readonly [number, number] }>(
  errors: readonly E[],
  lines: LineCounter,
): readonly E[] {
  const byLine = Map.groupBy(errors, ({ pos: [offset] }) => lines.linePos(offset).line)
  return [...byLine.values()].flatMap(([first]) => first ?? [])
}

/** What the parser means, where a list of accounts has a usual cause for it. */
const causes: Partial<Readonly<Record<ErrorCode, string>>> = {
  BAD_INDENT: 'this line is indented differently from those beside it, or a bracket above is not closed',
  BAD_SCALAR_START: 'a text that begins with @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a text that has a colon and a blank in it needs quotes',
  KEY_OVER_1024_CHARS: 'the name of a setting is longer than 1,024 characters',
  MISSING_CHAR: 'a quote, a bracket or a "-" is missing here or above',
  MULTILINE_IMPLICIT_KEY: 'a setting needs a colon and a blank behind its name, like name: ada',
  MULTIPLE_DOCS: 'a second document begins here: keep all accounts in one, without ---',
  TAB_AS_INDENT: 'a tab indents this line: use blanks',
  TAG_RESOLVE_FAILED: 'a text that begins with ! needs quotes',
}

/** The parser quotes what it stumbles over, which may be a key. */
function inWords({ code, message }: { readonly code: ErrorCode; readonly message: string }): string {
  if (/call stack/.test(message)) return 'it is nested too deeply: it needs three levels'
  const words = message.replace(/:? ?["'`][^]*$|: [^]*$/, '').replace(/\s+/g, ' ')
  return /alias/i.test(words) ? `${words}; ${QUOTES}` : (causes[code] ?? words)
}

/** Aliases are resolved one level deep, in one pass: a value cannot multiply. */
function nodesOf(document: Document, placeAt: (offset: number) => string): Nodes {
  const anchors = new Map<string, unknown>()
  const targets = new Map<unknown, unknown>()
  const offsetOf = (node: unknown) => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
  const placeOf = (node: unknown) => placeAt(offsetOf(node))
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target === undefined)
          throw new ConfigurationError([
            `${placeOf(node)}: * begins an alias in YAML, and nothing has this name: ${QUOTES}`,
          ])
        targets.set(node, target)
      } else if ('anchor' in node && typeof node.anchor === 'string') anchors.set(node.anchor, node)
    },
  })
  return { placeOf, resolve: (node) => targets.get(node) ?? node }
}

interface Root {
  readonly defaults: unknown
  readonly entries: readonly Node[]
}

/** @throws ConfigurationError */
function readRoot({ contents }: Document, { placeOf, resolve }: Nodes, path: string): Root {
  if (!isMap(contents))
    throw new ConfigurationError([`${path}: must be a mapping with the list accounts, like\n${EXAMPLE}`])
  const faults: string[] = []
  const found = new Map<string, unknown>()
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (!rootKeys.some((known) => known === name))
      faults.push(
        `${placeOf(key)}: ${quote(name)} is not known here${didYouMean(name, rootKeys)}: there are accounts and defaults`,
      )
    else if (found.has(name)) faults.push(`${placeOf(key)}: ${name} stands twice: keep one of them`)
    found.set(name, resolve(value))
  }
  const accounts = found.get('accounts')
  if (isMap(accounts))
    faults.push(
      `${placeOf(accounts)}: accounts must be a list: begin each entry with "- name:", like\n${EXAMPLE}`,
    )
  else if (!isSeq(accounts) || accounts.items.length === 0)
    faults.push(`${path}: has no accounts: list one or more, like\n${EXAMPLE}`)
  const more = faults.length - MAX_LISTED
  if (more > 0) faults.splice(MAX_LISTED, more, `and ${more} more like these`)
  if (faults.length > 0) throw new ConfigurationError(faults)
  const defaults = found.get('defaults')
  const isEmpty = isScalar(defaults) && defaults.value === null
  return {
    defaults: isEmpty ? null : defaults,
    entries: isSeq(accounts) ? accounts.items.filter(isNode) : [],
  }
}
