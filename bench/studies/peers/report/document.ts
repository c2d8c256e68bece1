import { readFile, writeFile } from 'node:fs/promises'

const [BEGIN, END] = ['<!-- peers:begin -->', '<!-- peers:end -->']

/** @throws Error when the document does not have both marks. */
export async function writeBetweenMarks(file: string, text: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const [head, rest] = before.split(BEGIN)
  const [, tail] = rest?.split(END) ?? []
  if (tail === undefined) throw new Error(`${file} has no ${BEGIN} with ${END} after it.`)
  await writeFile(file, `${head}${BEGIN}\n\n${text}\n${END}${tail}`)
}
