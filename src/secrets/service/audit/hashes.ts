import { toHex } from '../../../crypto/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import type { Core } from '../core.ts'
import { isMap } from '../fields.ts'

/** Spells a string for the audit log. */
export type Hash = (text: string) => string

/** How many hashes are remembered, and of texts of which length: tokens come again and again. */
const hashesKept = 512
const longestKept = 128

/** The maximum nesting: no accepted request has deeper data. */
const deepest = 200

/** The hashes of the audit log: with a key of the realm, so that every server of it hashes alike. */
export function auditHashes({ crypto }: Pick<Core, 'crypto'>) {
  /** They go with the key ring when the service is sealed. */
  const known = new WeakMap<Keyring, Hash>()
  return (keyring: Keyring): Hash => {
    const found = known.get(keyring)
    if (found) return found
    const key = keyring.derive('audit')
    const lately = new Map<string, string>()
    const hash: Hash = (text) => {
      const before = lately.get(text)
      if (before !== undefined) return before
      const made = `hmac-sha256:${toHex(crypto.hmac('sha256', key, text))}`
      if (lately.size >= hashesKept) lately.clear()
      if (text.length <= longestKept) lately.set(text, made)
      return made
    }
    known.set(keyring, hash)
    return hash
  }
}

/** JSON with every string in it hashed; names of fields, numbers and truth values stay. */
export function hashed(value: unknown, hash: Hash, depth = 0): unknown {
  if (typeof value === 'string') return hash(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return '…'
  if (Array.isArray(value)) return value.map((item) => hashed(item, hash, depth + 1))
  if (!isMap(value)) return null
  const map: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) map[name] = hashed(item, hash, depth + 1)
  return map
}
