/** The messages of Postgres's wire protocol (version 3), as far as one between client and server needs them. */

/** One message as it stood on the wire, its head included. */
export interface Message {
  /** The letter it begins with; '' for the first of a client, which has none. */
  readonly type: string
  readonly whole: Buffer
  readonly body: Buffer
}

/** The messages that come over one connection. */
export class IncomingMessages {
  readonly #pieces: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: AsyncIterable<Buffer>) {
    this.#pieces = socket[Symbol.asyncIterator]()
  }

  /** Waits for the next one; null when the connection ends or breaks before. A client's first ones lack the letter. */
  async next(withLetter = true): Promise<Message | null> {
    const letters = withLetter ? 1 : 0
    const head = await this.#wait(letters + 4)
    // The length counts itself, but not the letter before it.
    const end = head && letters + head.readUInt32BE(letters)
    const start = end && (await this.#wait(end))
    if (!start || !end) return null
    this.#rest = start.subarray(end)
    const whole = start.subarray(0, end)
    return {
      type: withLetter ? String.fromCharCode(whole[0] ?? 0) : '',
      whole,
      body: whole.subarray(letters + 4),
    }
  }

  /** Everything from here on, as it comes. */
  async *rest(): AsyncGenerator<Buffer, void> {
    if (this.#rest.length > 0) yield this.#rest
    this.#rest = Buffer.alloc(0)
    for (let one = await this.#piece(); one !== null; one = await this.#piece()) yield one
  }

  /** What is there, so many bytes at least; null when they do not come. */
  async #wait(bytes: number): Promise<Buffer | null> {
    const pieces = [this.#rest]
    for (let length = this.#rest.length; length < bytes;) {
      const next = await this.#piece()
      if (next === null) return null
      pieces.push(next)
      length += next.length
    }
    this.#rest = pieces.length === 1 ? this.#rest : Buffer.concat(pieces)
    return this.#rest
  }

  async #piece(): Promise<Buffer | null> {
    const next = await this.#pieces.next().catch(() => null)
    return next === null || next.done === true ? null : next.value
  }
}

export function message(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The end of a connection, for a reason. */
export function fatal(code: string, words: string): Buffer {
  return message('E', `SFATAL\0VFATAL\0C${code}\0M${words}\0\0`)
}

export const authenticated = message('R', Buffer.alloc(4))
/** Ready for the next query; no transaction is open. */
export const idle = message('Z', 'I')

export function parameter(name: string, value: string): Buffer {
  return message('S', `${name}\0${value}\0`)
}

/** What a client asks for before anything else: a protocol's number and, for version 3, its parameters. */
export function readStart({ body }: Message): {
  readonly code: number
  readonly parameters: Map<string, string>
} {
  const words = body.subarray(4).toString().split('\0')
  const parameters = new Map<string, string>()
  for (let at = 0; words[at]; at += 2) parameters.set(words[at] ?? '', words[at + 1] ?? '')
  return { code: body.readUInt32BE(0), parameters }
}

export const startCodes = { version3: 196_608, cancel: 80_877_102, tls: 80_877_103, gss: 80_877_104 } as const
