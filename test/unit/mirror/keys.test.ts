import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { hashKey, isSameHash, generateKey } from '../../../src/mirror/keys/secret.ts'

describe('a key', () => {
  test('is hc_ and 256 random bits in base64url', () => {
    const keys = Array.from({ length: 200 }, generateKey)
    expect(new Set(keys).size).toBe(200)
    for (const key of keys) {
      expect(key).toMatch(/^hc_[\w-]{43}$/)
      expect(Buffer.from(key.slice(3), 'base64url')).toHaveLength(32)
    }
  })

  test('is hashed with SHA-256 over its UTF-8', () => {
    expect(hashKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    const bytes = Buffer.from([0xc3, 0xbc, 0xe2, 0x82, 0xac])
    expect(hashKey('ü€')).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  test('is compared by its hash, whatever the hashes are', () => {
    expect(isSameHash(hashKey('a'), hashKey('a'))).toBe(true)
    expect(isSameHash(hashKey('a'), hashKey('b'))).toBe(false)
    expect(isSameHash(hashKey('a'), hashKey('a').slice(1))).toBe(false)
    expect(isSameHash('', hashKey('a'))).toBe(false)
  })
})
