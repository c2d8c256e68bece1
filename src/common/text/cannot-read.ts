import { errorCode } from '../error-code.ts'

/** `cannot read "keys/ada.key" (ENOENT)`: the path, and the code of the system's error. */
export function cannotRead(path: string, error: unknown): string {
  return `cannot read ${JSON.stringify(path)} (${errorCode(error) ?? 'unknown'})`
}

/** A folder, or an extension like `.key`. */
const isLikePath = /[/\\]|\.[a-z][a-z\d]{0,7}$/i

/** Base64 and the like, which may have a `/`: long, with digits and letters of both cases, and no dot. */
const isLikeKey = /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[\w+-][\w+/=-]{23,}$/

/**
 * The same of a file that should hold a secret, with what to do. Somebody may have pasted the secret itself in place of its
 * file: what is no file, and does not look like a path, is not shown.
 *
 * @param given what names the file, as it stands in the settings
 */
export function cannotReadSecret(given: string, path: string, error: unknown): string {
  const code = errorCode(error)
  const isPath =
    code === 'ENOENT' ? isLikePath.test(given) && !isLikeKey.test(given.trim()) : code !== 'ENAMETOOLONG'
  // guard: secret in place of its file
  if (isPath) return `${cannotRead(path, error)}: check the path and the rights`
  return (
    `there is no file of this name (${code}), and it is not shown, for it looks like the secret itself: ` +
    'write the secret into a file of its own and name that file, like keys/ada.key; if it was pasted here, remove it'
  )
}
