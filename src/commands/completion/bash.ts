import type { CommandWords } from './command-words.ts'

/** A completion function for bash 3.2 or later. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return `# bash completion of headcount
_headcount() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" called='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$called $word" in
${commands
  .filter(({ path }) => path !== '')
  .map(entering)
  .join('\n')}
    esac
  done
  case "$called $previous" in
${commands.flatMap(values).join('\n')}
  esac
  case "$called" in
${commands.map(words).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _headcount headcount
`
}

/** `rejects accept` is entered from `rejects`, and `rejects` from the program. */
function entering({ path }: CommandWords): string {
  const at = path.lastIndexOf(' ')
  return `      '${path.slice(0, Math.max(at, 0))} ${path.slice(at + 1)}') called='${path}' ;;`
}

function values({ path, flags }: CommandWords): readonly string[] {
  return flags.flatMap(({ names, value }) => {
    if (value === null) return []
    const pattern = names.map((name) => `'${path} ${name}'`).join('|')
    if (value === 'text') return `    ${pattern}) return ;;`
    const generator = value === 'file' ? '-f' : `-W '${value.join(' ')}'`
    return `    ${pattern}) COMPREPLY=($(compgen ${generator} -- "$current")); return ;;`
  })
}

function words({ path, words: own, flags }: CommandWords): string {
  const all = [...own.map(({ word }) => word), ...flags.flatMap(({ names }) => names)]
  return `    '${path}') words='${all.join(' ')}' ;;`
}
