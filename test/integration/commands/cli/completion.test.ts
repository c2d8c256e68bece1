/** `completion`: the scripts, in the shells that are there. */
import { existsSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { headcount, run } from '../../../support/commands/command.ts'

const pathOf = (shell: string) =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
    .map((folder) => join(folder, shell))
    .find((path) => existsSync(path)) ?? null

/** What is typed, and words of which some, all and no others are offered. */
const cases: readonly (readonly [
  typed: string,
  offered: readonly string[],
  notOffered: readonly string[],
])[] = [
  ['headcount s', ['sync', 'status', 'serve'], ['query', '--help']],
  ['headcount rejects ', ['accept'], ['sync']],
  ['headcount keys create --l', ['--label'], ['--json']],
  ['headcount sync --acc', ['--account', '--accept-deletions'], ['--all']],
  ['headcount query --format ', ['table', 'json', 'ndjson', 'csv'], ['--json']],
  ['headcount --env-file x accounts ', ['rename', 'remove'], ['accept']],
  ['headcount --database x accounts ', ['rename', 'remove'], ['accept']],
  ['headcount demo --', ['--env-file', '--help'], ['--database']],
  ['headcount completion ', ['bash', 'zsh', 'fish'], ['sync']],
]

/** Prints what a shell offers for a line, a word a line. */
const ask: Readonly<Record<string, (script: string, typed: string) => string>> = {
  bash: (script, typed) => `
    source ${script}
    words='${typed}'
    read -r -a COMP_WORDS <<< "$words"
    [[ "$words" == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    _headcount
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  // Without an editor of lines: what the function hands to it is printed.
  zsh: (script, typed) => `
    compdef() {}
    compadd() { print -l -- "\${@[2,-1]}" }
    _describe() { local name=\${@[-1]}; print -l -- "\${(@)\${(@P)name}%%:*}" }
    source ${script}
    words=(\${(z):-'${typed}'})
    [[ '${typed}' == *' ' ]] && words+=('')
    CURRENT=\${#words}
    _headcount | grep -e "^\${words[-1]}" || true`,
  fish: (script, typed) => `source ${script}; complete -C '${typed}' | string split -f1 \\t`,
}

describe.each(['bash', 'zsh', 'fish'] as const)('in %s', (shell) => {
  const program = pathOf(shell)
  test.skipIf(program === null).each(cases)(`%s (needs ${shell})`, async (typed, offered, notOffered) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-completion-'))
    const script = join(folder.path, 'script')
    const printed = await headcount(['completion', shell])
    expect(printed).toMatchObject({ code: 0, stderr: '' })
    await writeFile(script, printed.stdout)
    const line = ask[shell]?.(script, typed) ?? ''
    const answered = await run(program ?? '', ['-c', line], { env: { HOME: folder.path } })
    expect(answered).toMatchObject({ code: 0, stderr: '' })
    const words = answered.stdout.split('\n')
    expect(words).toEqual(expect.arrayContaining([...offered]))
    for (const word of notOffered) expect(words).not.toContain(word)
  })
})

test('the script of every shell is printed; another shell is told', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect((await headcount(['completion', shell])).stdout).toContain('_headcount')
  const unknown = await headcount(['completion', 'tcsh'])
  expect(unknown).toMatchObject({ code: 2, stdout: '' })
  expect(unknown.stderr).toContain('completion: the shell must be one of bash, zsh, fish, not "tcsh"')
})
