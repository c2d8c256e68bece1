import { entry, type CommandWords, type FlagWords } from './command-words.ts'

/** Completions for fish 3 or later, which shows what each word means. */
export function fishCompletion(commands: readonly CommandWords[]): string {
  return [
    '# fish completion of headcount',
    'function __headcount_called',
    '    set -l called',
    '    for word in (commandline -opc)[2..]',
    '        switch "$called $word"',
    ...commands.filter(({ path }) => path !== '').map(entering),
    '        end',
    '    end',
    `    test "$called" = "$argv"`,
    'end',
    'complete -c headcount -f',
    ...commands.flatMap(completions),
    '',
  ].join('\n')
}

function entering({ path }: CommandWords): string {
  const { from, word } = entry(path)
  return `            case '${from} ${word}'\n                set called '${path}'`
}

function completions({ path, words, flags }: CommandWords): readonly string[] {
  const called = `complete -c headcount -n ${quoted(`__headcount_called ${quoted(path)}`)}`
  return [
    ...words.map(({ word, summary }) => `${called} -a ${word} -d ${quoted(summary)}`),
    ...flags.map((flag) => `${called} ${namesOf(flag)}${valueOf(flag)} -d ${quoted(flag.summary)}`),
  ]
}

function namesOf({ names }: FlagWords): string {
  return names
    .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
    .join(' ')
}

function valueOf({ value }: FlagWords): string {
  if (value === null) return ''
  if (value === 'file') return ' -r -F'
  return value === 'text' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`
}
