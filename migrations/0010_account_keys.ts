/**
 * Where the service names no e-mail, only the key can tell that the account may be another one. Plain SHA-256: a key of the service is
 * random, so that there is no list of likely ones to try, and it is compared with itself alone.
 */
export const accountKeys: readonly string[] = [
  `alter table headcount.accounts add column key_sha256 text`,
  `comment on column headcount.accounts.key_sha256 is
    'SHA-256 of the API key that the mirror was last built with, in hexadecimal digits: where the service names no e-mail, another key may be that of another account.'`,
]
