import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createLogger } from '../../../src/commands/terminal/logger.ts'
import { OutputError } from '../../../src/common/errors.ts'
import { messageText, openTerminal } from '../../../src/commands/terminal/terminal.ts'

function failingWith(code: string): Writable {
  const error = Object.assign(new Error(`write ${code}`), { code })
  return new Writable({ write: (_chunk, _encoding, done) => done(error) })
}

describe('X1 a secret that comes from elsewhere all the same', () => {
  test('is blotted out of everything on stderr, the log too', async () => {
    const stderr = new PassThrough()
    const terminal = openTerminal(new PassThrough(), stderr)
    terminal.redact('canary-key')
    const logger = await createLogger({ logLevel: 'debug', logFormat: 'json' }, terminal.err)
    logger.warn({ err: new Error('refused canary-key', { cause: new Error('canary-key!') }) }, 'canary-key')
    logger.info({ apiKey: 'short', options: { password: 'pw' } }, 'fields')
    await terminal.err.write(messageText('the service said canary-key'))
    stderr.end()
    const written = await text(stderr)
    expect(written).toContain('headcount: the service said [secret]\n')
    expect(written).not.toMatch(/canary|short|"pw"/)
  })

  test('one that is a part of another leaves nothing of it, in whichever order they came', async () => {
    const stderr = new PassThrough()
    const terminal = openTerminal(new PassThrough(), stderr)
    for (const secret of ['secret', 'my-secret-key-0123456789']) terminal.redact(secret)
    await terminal.err.write('refused: my-secret-key-0123456789, secret\n')
    stderr.end()
    expect(await text(stderr)).toBe('refused: [secret], [secret]\n')
  })

  test('one of a few characters is not looked for: it stands in ordinary words', async () => {
    const stderr = new PassThrough()
    const terminal = openTerminal(new PassThrough(), stderr)
    terminal.redact('a')
    terminal.redact('')
    await terminal.err.write('a plain message')
    stderr.end()
    expect(await text(stderr)).toBe('a plain message')
  })
})

describe('what cannot be written', () => {
  test('O8 to a reader who has gone is nobody’s loss', async () => {
    const { out } = openTerminal(failingWith('EPIPE'), new PassThrough())
    await expect(out.write('x')).resolves.toBeUndefined()
    await expect(out.write('y')).resolves.toBeUndefined()
  })

  test('to a full disk is an error for data, and none for what is said to people', async () => {
    const { out, err } = openTerminal(failingWith('ENOSPC'), failingWith('ENOSPC'))
    await expect(out.write('x')).rejects.toThrow(OutputError)
    await expect(err.write('x')).resolves.toBeUndefined()
  })
})

test('X5 log lines are clean, as json and pretty', async () => {
  for (const logFormat of ['json', 'pretty'] as const) {
    const stderr = new PassThrough()
    const { err } = openTerminal(new PassThrough(), stderr)
    const logger = await createLogger({ logLevel: 'info', logFormat }, err)
    logger.info({ event: '\u001b[2Jgala\u009b1m' }, 'read \u001b]0;title\u0007')
    // What is written later comes later, also where the line is still being made.
    await err.write('the end')
    stderr.end()
    const written = await text(stderr)
    expect(written).toMatch(/gala[^]*the end$/)
    expect(written).not.toMatch(/[\u001b\u009b\u0007]/)
  }
})
