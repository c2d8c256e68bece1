import { entries, flagValues, type CommandWords, type FlagWords } from './command-words.ts'

/** A completion function for bash 3.2 or later. */
export function bashCompletion(commands: readonly CommandWords[]): string {
  return `# bash completion of headcount
_headcount() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" called='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$called $word" in
${entries(commands)}
    esac
  done
  case "$called $previous" in
${flagValues(commands, completeValue)}
  esac
  case "$called" in
${commands.map(words).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _headcount headcount
`
}

function completeValue(value: NonNullable<FlagWords['value']>): string {
  if (value === 'text') return ':'
  return `COMPREPLY=($(compgen ${value === 'file' ? '-f' : `-W '${value.join(' ')}'`} -- "$current"))`
}

function words({ path, words: own, flags }: CommandWords): string {
  const all = [...own.map(({ word }) => word), ...flags.flatMap(({ names }) => names)]
  return `    '${path}') words='${all.join(' ')}' ;;`
}
