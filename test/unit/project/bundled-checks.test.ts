import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const repository = join(import.meta.dirname, '../../..')

/** A statement that is nothing but the call of a function of JavaScript: it can only throw. */
const UNUSED_CALL =
  /^\s*(?:void\s+)?(?:(?:de|en)codeURI(?:Component)?|BigInt|Number|String|Symbol|parseInt|parseFloat|(?:String|Symbol|Array|Number|Math)\.\w+)\(.*\);?$/gm

test('no check is a call whose result nobody uses: the bundler of the command drops it', async () => {
  expect('    decodeURIComponent(part)\n').toMatch(UNUSED_CALL)
  const found: string[] = []
  for await (const file of glob('src/**/*.ts', { cwd: repository })) {
    const text = await readFile(join(repository, file), 'utf8')
    for (const [call] of text.matchAll(UNUSED_CALL)) found.push(`${file}: ${call.trim()}`)
  }
  expect(found).toEqual([])
})
