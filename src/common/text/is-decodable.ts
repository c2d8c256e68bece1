/**
 * Whether a text is percent-encoded UTF-8. The result of the call is used: the bundler drops a call like this one where nobody uses it, with
 * the error that it throws.
 */
export function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length <= text.length
  } catch {
    return false
  }
}
