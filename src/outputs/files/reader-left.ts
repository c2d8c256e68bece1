import { errorCode } from '../../common/error-code.ts'

/** Thrown within an output when nobody reads it any more: the rest need not be made. */
export class ReaderLeft extends Error {}

/** A closed pipe (`headcount … | head`) is no failure: the reader has enough. So is a closed terminal. */
export function hasReaderLeft(error: unknown, { isTTY }: { readonly isTTY?: boolean }): boolean {
  const code = errorCode(error) ?? ''
  return ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(code) || (code === 'EIO' && isTTY === true)
}
