import type { CommandWords, DescribedWord } from './command-words.ts'

/** A completion function for zsh, which shows what each word means. It works from \`fpath\` and when it is sourced. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  return `#compdef headcount
_headcount() {
  local called='' word
  local -a described flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$called $word" in
${commands
  .filter(({ path }) => path !== '')
  .map(entering)
  .join('\n')}
    esac
  done
  case "$called \${words[CURRENT-1]}" in
${commands.flatMap(values).join('\n')}
  esac
  case "$called" in
${commands.map(described).join('\n')}
  esac
  if (( \${#described} )); then _describe -t commands command described; fi
  _describe -o -t options option flags
}
if [ "$funcstack[1]" = _headcount ]; then _headcount "$@"; else compdef _headcount headcount; fi
`
}

function entering({ path }: CommandWords): string {
  const at = path.lastIndexOf(' ')
  return `      '${path.slice(0, Math.max(at, 0))} ${path.slice(at + 1)}') called='${path}' ;;`
}

function values({ path, flags }: CommandWords): readonly string[] {
  return flags.flatMap(({ names, value }) => {
    if (value === null) return []
    const pattern = names.map((name) => `'${path} ${name}'`).join('|')
    const action =
      value === 'file' ? '_files' : value === 'text' ? '_message value' : `compadd -- ${value.join(' ')}`
    return `    ${pattern}) ${action}; return ;;`
  })
}

function described({ path, words, flags }: CommandWords): string {
  const options = flags.flatMap(({ names, summary }) => names.map((word) => ({ word, summary })))
  return `    '${path}')
      described=(${words.map(quoted).join(' ')})
      flags=(${options.map(quoted).join(' ')})
      ;;`
}

function quoted({ word, summary }: DescribedWord): string {
  return `'${`${word}:${summary}`.replaceAll("'", `'\\''`)}'`
}
