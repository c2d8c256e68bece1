/**
 * What is done in a process of its own: the measured work, and what prepares and examines a database around it.
 * Each task loads what it needs, so that the others do not weigh on its memory.
 */
import type { AccountSize, Version } from './account.ts'
import type { Mark } from './marks.ts'
import { measure } from './measure.ts'

export const tasks = {
  /** Makes an empty mirror at rest, unless it is one. */
  async prepare({ url }: { readonly url: string }) {
    const [{ connect }, { migrate }, { setMark, settle }] = await Promise.all([
      import('../src/db/connect.ts'),
      import('../src/db/migrate.ts'),
      import('./marks.ts'),
    ])
    await using database = await connect(url)
    await migrate(database)
    await settle(database)
    return await setMark(database)
  },

  /** Floor of a run that finds nothing changed: the bare download. */
  async download({ origin }: { readonly origin: string }) {
    const { download } = await import('./floors/download.ts')
    return measure(() => download(origin))
  },

  /** Floor of a first run: download, parse, COPY. */
  async copy({ origin, url }: { readonly origin: string; readonly url: string }) {
    if (url.startsWith('pglite:')) {
      const { copyIntoEmbedded } = await import('./floors/copy-embedded.ts')
      return measure(() => copyIntoEmbedded(origin, url.slice('pglite:'.length)))
    }
    const { copyIntoPostgres } = await import('./floors/copy-postgres.ts')
    return measure(() => copyIntoPostgres(origin, url))
  },

  /** A run of ours over every event. */
  async sync({ origin, url }: { readonly origin: string; readonly url: string }) {
    const { sync } = await import('../src/index.ts')
    return measure(() =>
      sync({ database: url, baseUrl: `${origin}/api/v1`, apiKey: 'bench', all: true, concurrency: 8 }),
    )
  },

  /** What the mirror of an account must hold. */
  async expect({ size, version }: { readonly size: AccountSize; readonly version: Version }) {
    const { expectedDigests } = await import('./equality.ts')
    return expectedDigests(size, version)
  },

  /** What was written since a mark, what the mirror holds, and the mark for what comes next. */
  async examine({ url, since }: { readonly url: string; readonly since: Mark }) {
    const [{ connect }, { mirrorDigests }, { setMark, settle, writesSince }] = await Promise.all([
      import('../src/db/connect.ts'),
      import('./equality.ts'),
      import('./marks.ts'),
    ])
    await using database = await connect(url)
    const writes = await writesSince(database, since)
    const digests = await mirrorDigests(database)
    await settle(database)
    return { writes, digests, mark: await setMark(database) }
  },
}
