import { readFile } from 'node:fs/promises'

/** Lines of what a user writes; blank ones and those that are only a comment are not counted. */
export async function countLines(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const lines = texts.flatMap((text) => text.replaceAll(/^"""[^]*?"""/g, '').split('\n'))
  return lines.filter((line) => !/^\s*(?:#|\/\/|\/\*\*|$)/.test(line)).length
}
