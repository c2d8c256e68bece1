import pLimit from 'p-limit'
import { readFile, writeFile } from 'node:fs/promises'
import type { Read } from './download.ts'
import { AT_ONCE, openClient, readEvents, responsesPath } from './fetching.ts'

/** What one knows who has read the account before: each path and its validator. */
type Known = readonly (readonly [path: string, etag: string])[]

/** Reads the validators of an account into a file: what a run finds in its database. */
export async function learnValidators(base: string, file: string): Promise<void> {
  const client = openClient(base)
  try {
    const paths = ['/events', ...(await readEvents(client)).map(responsesPath)]
    const known: Known = await pLimit(AT_ONCE).map(paths, async (path): Promise<[string, string]> => {
      const { headers, body } = await client.get(path)
      await body.dump({ limit: Infinity })
      const { etag } = headers
      if (typeof etag !== 'string') throw new Error(`GET ${path}: no ETag`)
      return [path, etag]
    })
    await writeFile(file, JSON.stringify(known))
  } finally {
    await client.close()
  }
}

/** The requests of a run over every event that is told of each list that it is still the same; nothing else is done. */
export async function notModified(base: string, file: string): Promise<Read> {
  const known = JSON.parse(await readFile(file, 'utf8')) as Known
  const client = openClient(base)
  try {
    await (await client.get('/ping')).body.dump()
    await pLimit(AT_ONCE).map(known, async ([path, etag]) => {
      const { statusCode, body } = await client.get(path, { 'If-None-Match': etag })
      await body.dump()
      if (statusCode !== 304) throw new Error(`GET ${path}: ${statusCode} instead of 304`)
    })
    return { requests: 1 + known.length }
  } finally {
    await client.close()
  }
}
