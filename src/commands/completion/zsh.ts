import {
  entries,
  flagValues,
  type CommandWords,
  type DescribedWord,
  type FlagWords,
} from './command-words.ts'

/** A completion function for zsh, which shows what each word means. It works from \`fpath\` and when it is sourced. */
export function zshCompletion(commands: readonly CommandWords[]): string {
  return `#compdef headcount
_headcount() {
  local called='' word
  local -a described flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$called $word" in
${entries(commands)}
    esac
  done
  case "$called \${words[CURRENT-1]}" in
${flagValues(commands, completeValue)}
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

function completeValue(value: NonNullable<FlagWords['value']>): string {
  if (value === 'text') return '_message value'
  return value === 'file' ? '_files' : `compadd -- ${value.join(' ')}`
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
