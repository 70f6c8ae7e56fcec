import * as z from 'zod'
import { type CryptoPort, fromBase64, toBase64 } from '../../crypto/index.ts'

/** The keys that encrypt values, by term: new values use the newest, older ones stay readable. */
const KeyringData = z.strictObject({
  active: z.int().min(1),
  keys: z.record(z.string(), z.strictObject({ key: z.string(), installedAt: z.int() })),
})

/**
 * Encrypts values at rest.
 */
export interface Keyring {
  /** The newest term, when it began, and how many values this process has sealed with its key. */
  readonly status: () => KeyStatus
  /** The ring itself, encrypted with the root key; base64. */
  readonly sealedWith: (rootKey: Uint8Array) => string
  /** The ring with an additional key, of the next term, encrypted with the root key; {@link Keyring.learn} loads it. */
  readonly turnedWith: (rootKey: Uint8Array, now: number) => string
  /** Loads the terms of the stored ring; false if the root key cannot decrypt it. */
  readonly learn: (sealed: string, rootKey: Uint8Array) => boolean
  /** Called once before decryption of a value of an unknown term fails. */
  readonly whenUnknown: (look: () => void) => void
  /** Derives a key for a purpose from the ring. */
  readonly derive: (purpose: string) => Uint8Array<ArrayBuffer>
  readonly seal: (plain: Uint8Array, bound: Uint8Array) => Uint8Array<ArrayBuffer>
  readonly open: (sealed: Uint8Array, bound: Uint8Array) => Uint8Array<ArrayBuffer> | undefined
}

/**
 * The public facts about the current encryption key.
 */
export interface KeyStatus {
  readonly term: number
  readonly installedAt: number
  /** Values sealed with it by this process. */
  readonly sealedCount: number
}

interface TermKey {
  readonly key: Uint8Array
  readonly installedAt: number
  /** The header of every value sealed with it. */
  readonly head: Uint8Array
}

const termBytes = 4
const ringBound = new TextEncoder().encode('core/keyring')

/** A new ring with one key. */
export const newKeyring = (crypto: CryptoPort, now: number): Keyring =>
  keyringOf(crypto, new Map([[1, termKey(1, crypto.randomBytes(32), now)]]))

/** The ring that was encrypted with a key, or `undefined` if this is not the key. */
export function openKeyring(crypto: CryptoPort, sealed: string, rootKey: Uint8Array): Keyring | undefined {
  const keys = openKeys(crypto, sealed, rootKey)
  return keys && keyringOf(crypto, keys)
}

function openKeys(crypto: CryptoPort, sealed: string, rootKey: Uint8Array): Map<number, TermKey> | undefined {
  const bytes = fromBase64(sealed)
  // AES-256 requires keys of 32 bytes.
  const plain = bytes && rootKey.length === 32 ? crypto.open(rootKey, bytes, ringBound) : undefined
  if (plain === undefined) return undefined
  const { keys } = KeyringData.parse(JSON.parse(new TextDecoder().decode(plain)))
  return new Map(
    Object.entries(keys).map(([term, { key, installedAt }]) => [
      Number(term),
      termKey(Number(term), fromBase64(key) ?? new Uint8Array(), installedAt),
    ]),
  )
}

function termKey(term: number, key: Uint8Array, installedAt: number): TermKey {
  const head = new Uint8Array(termBytes)
  new DataView(head.buffer).setUint32(0, term)
  return { key, installedAt, head }
}

function keyringOf(crypto: CryptoPort, keys: Map<number, TermKey>): Keyring {
  const utf8 = new TextEncoder()
  let look = () => {}
  let sealedCount = 0
  const keyOf = (term: number): TermKey => {
    const found = keys.get(term)
    if (found === undefined) throw new Error(`the key ring has no key of term ${term}`)
    return found
  }
  let active = Math.max(...keys.keys())
  let newest = keyOf(active)
  const sealRing = (rootKey: Uint8Array, all: ReadonlyMap<number, TermKey>): string => {
    const shown = Array.from(all, ([term, { key, installedAt }]) => [
      term,
      { key: toBase64(key), installedAt },
    ])
    const data = { active: Math.max(...all.keys()), keys: Object.fromEntries(shown) }
    return toBase64(crypto.seal(rootKey, utf8.encode(JSON.stringify(data)), ringBound))
  }
  return {
    status: () => ({ term: active, installedAt: newest.installedAt, sealedCount }),
    sealedWith: (rootKey) => sealRing(rootKey, keys),
    turnedWith: (rootKey, now) => {
      const next = termKey(active + 1, crypto.randomBytes(32), now)
      return sealRing(rootKey, new Map([...keys, [active + 1, next]]))
    },
    learn: (sealed, rootKey) => {
      const all = openKeys(crypto, sealed, rootKey)
      if (all === undefined) return false
      for (const [term, key] of all) keys.set(term, key)
      const last = Math.max(...keys.keys())
      if (last !== active) sealedCount = 0
      active = last
      newest = keyOf(active)
      return true
    },
    whenUnknown: (fn) => {
      look = fn
    },
    derive: (purpose) => crypto.hmac('sha256', keyOf(1).key, `plinth/${purpose}`),
    seal: (plain, bound) => {
      sealedCount += 1
      return crypto.seal(newest.key, plain, bound, newest.head)
    },
    open: (sealed, bound) => {
      if (sealed.length < termBytes) return undefined
      const term = new DataView(sealed.buffer, sealed.byteOffset).getUint32(0)
      if (!keys.has(term)) look()
      const found = keys.get(term)
      return found && crypto.open(found.key, sealed.subarray(termBytes), bound)
    },
  }
}
