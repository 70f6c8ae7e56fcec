import type { OptionNames } from '../../kernel/check-options.ts'
import { StoreError } from '../port/errors.ts'
import { parseFrozen } from '../port/json.ts'
import { buffers, isMark, shown, utf8Length } from '../port/keys.ts'
import type { Commit, Entry, Json } from '../port/port.ts'

/**
 * Encrypts and decrypts values: the key ring behind the barrier. `bound` is the associated data; opening fails unless
 * it is the same.
 */
export interface Keyring {
  /** Encrypts and authenticates under the newest key; the result says which key it was. */
  seal(plain: Uint8Array, bound: Uint8Array): Uint8Array
  /**
   * Returns the plaintext; `undefined` (or an exception) when key, bytes or `bound` are not the ones it was sealed
   * with.
   */
  open(sealed: Uint8Array, bound: Uint8Array): Uint8Array | undefined
}

/**
 * Options of {@link sealed}.
 */
export interface SealedOptions {
  /** The realm's name: bound to every value, so that none can be moved to another realm. */
  readonly realm?: string | undefined
  /** Keys whose values are stored in plain text: those needed before anything can be opened. `core/` by default. */
  readonly clearPrefix?: string | undefined
}

export const sealedOptions: OptionNames<SealedOptions> = {
  realm: true,
  clearPrefix: true,
}

/** The sealing of the values of one realm: the common part of the barriers over local and remote stores. */
export interface SealedValues {
  /** A value as the store sees it. */
  readonly close: (key: string, value: Json) => Json
  /** Puts as the store sees them: small ones are sealed together. */
  readonly closeTogether: (put: Puts) => Puts
  /** The decrypted entry; throws a {@link StoreError} of code `corrupt` if it cannot be opened. */
  readonly open: (entry: Entry) => Entry
}

type Puts = NonNullable<Commit['put']>

/** Base64 is a third longer than bytes: this much JSON text fits a value of 40 MiB once sealed. */
const plainBytes = 29 * 1024 * 1024

/** Values are sealed together up to this length of text: reading one opens all. */
const togetherUnits = 16 * 1024

export function sealedValues(keyring: Keyring, options: SealedOptions): SealedValues {
  const clearPrefix = options.clearPrefix ?? 'core/'
  const realm = options.realm ?? ''
  const inClear = (key: string) => isMark(key) || key.startsWith(clearPrefix)
  const bound = (key: string) => toUtf8(`${realm}\u0000${key}`)
  const together = bound('')

  const close = (key: string, value: Json): Json => {
    if (inClear(key)) return value
    const text = JSON.stringify(value)
    if (text.length * 3 > plainBytes && utf8Length(text) > plainBytes)
      throw new StoreError('invalid', `a sealed value has at most ${plainBytes} bytes of JSON: ${shown(key)}`)
    return toBase64(keyring.seal(toUtf8(text), bound(key)))
  }
  const closeTogether = (put: Puts): Puts => {
    const each = () => put.map(({ key, value }) => ({ key, value: close(key, value) }))
    if (put.length < 2 || put.some(({ key }) => inClear(key))) return each()
    const all: Json[] = []
    for (const { key, value } of put) all.push(key, value)
    const text = JSON.stringify(all)
    if (text.length > togetherUnits) return each()
    const sealedText = toBase64(keyring.seal(toUtf8(text), together))
    return put.map(({ key }, at) => ({ key, value: Object.freeze([at, sealedText]) }))
  }
  const opened = (sealedText: unknown, to: Uint8Array): Json | undefined => {
    const bytes = typeof sealedText === 'string' ? fromBase64(sealedText) : undefined
    const plain = bytes && keyring.open(bytes, to)
    return plain && parseFrozen(decoder.decode(plain))
  }
  /** A text sealed together contains its keys: each value follows its own key. */
  const openFrom = (key: string, [at, sealedText]: readonly unknown[]): Json | undefined => {
    const all = opened(sealedText, together)
    return Array.isArray(all) && typeof at === 'number' && all[2 * at] === key ? all[2 * at + 1] : undefined
  }
  const open = (entry: Entry): Entry => {
    const { key, value: kept } = entry
    if (inClear(key)) return entry
    const value = Array.isArray(kept) ? openFrom(key, kept) : opened(kept, bound(key))
    if (value === undefined)
      throw new StoreError('corrupt', `the value of ${shown(key)} cannot be opened with this key ring`)
    return { ...entry, value }
  }
  return { close, closeTogether, open }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const toUtf8 = (text: string): Uint8Array => buffers?.from(text, 'utf8') ?? encoder.encode(text)

function toBase64(bytes: Uint8Array): string {
  if (buffers) return buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  let binary = ''
  // Arguments of one call are on the stack: 32 Ki of them are safe everywhere.
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode.apply(undefined, Array.from(bytes.subarray(at, at + 32_768)))
  return btoa(binary)
}

function fromBase64(text: string): Uint8Array | undefined {
  if (buffers) {
    const bytes = buffers.from(text, 'base64')
    // Buffers skip invalid base64, which makes the result shorter than expected.
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
    return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined
  }
  try {
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
