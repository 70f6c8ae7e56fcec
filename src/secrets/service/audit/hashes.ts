import { toHex } from '../../../crypto/index.ts'
import { lru } from '../../../kernel/lru.ts'
import type { Keyring } from '../../seal/keyring.ts'
import type { Core } from '../core/core.ts'
import { type Hash, hashedJson } from './hashed-json.ts'

/** The hashes of one key ring. */
export interface Hashes {
  /** Keeps the hash for when the text comes again: of tokens that are known, and of what was answered. */
  readonly kept: Hash
  /** Keeps nothing: what a caller sends may be a password, and may be anything, a thousand times a second. */
  readonly once: Hash
  /** Hashes the strings of an answer that is JSON already, and keeps that: the same secrets are read again and again. */
  readonly keptJson: Hash
}

/** How many hashes are kept, and of texts of which length. */
const hashesKept = 8192
const longestKept = 128

/** How many characters of hashed answers are kept, and of answers of which length. */
const hashedUnitsKept = 4 * 1024 * 1024
const longestJsonKept = 16 * 1024

/** Returns the hashes with the key of the realm, so that every server of it hashes alike. */
export function hashesWith({ crypto }: Pick<Core, 'crypto'>, keyring: Keyring): Hashes {
  const key = keyring.derive('audit')
  const known = lru<string>(hashesKept, () => 1)
  const answers = lru<string>(hashedUnitsKept, ({ length }) => length)
  const once: Hash = (text) => `hmac-sha256:${toHex(crypto.hmac('sha256', key, text))}`
  const kept: Hash = (text) => {
    if (text.length > longestKept) return once(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const made = once(text)
    known.set(text, made)
    return made
  }
  return {
    once,
    kept,
    keptJson: (text) => {
      const before = answers.get(text)
      if (before !== undefined) return before
      const made = hashedJson(JSON.parse(text), kept)
      if (text.length <= longestJsonKept) answers.set(text, made)
      return made
    },
  }
}
