import { type CryptoPort, fromBase64, toHex } from '../../../crypto/index.ts'
import { type Answer, type Env, refuse } from '../../../kernel/index.ts'
import { giveShare, noProgress, type Seal, type UnsealProgress } from '../../seal/index.ts'
import { rootKeyFrom } from './root-key.ts'
import { rootKeyByStatic, type StaticSeal } from './static-seal.ts'

/** The ways to unseal a service. */
export interface Unsealing {
  /** Accepts a share, hexadecimal or base64; the last one needed unseals the service. */
  readonly unseal: (share: string) => Promise<Answer<Unsealed, UnsealRefusal>>
  /** Unseals with the static key; false if the data was never sealed with one. */
  readonly unsealStatic: () => Promise<Answer<boolean, 'not_initialized' | 'static_key_wrong'>>
  /** Drops the shares given so far. */
  readonly restart: () => void
}

/** The result of giving a key share. */
export interface Unsealed {
  /** Whether the service is unsealed now; otherwise it needs more shares. */
  readonly opened: boolean
}

/** Why a key share was refused. */
export type UnsealRefusal = 'not_initialized' | 'share_not_text' | 'share_length' | 'wrong_shares'

export interface UnsealOptions {
  readonly crypto: CryptoPort
  readonly env: () => Env
  /** The product word, for messages. */
  readonly word: string
  /** The key of an unattended unseal. */
  readonly staticSeal: StaticSeal | undefined
}

/** Unseals a service with shares of its key or the static key, and keeps the shares given so far. */
export function unsealer(
  { crypto, env, word, staticSeal }: UnsealOptions,
  service: {
    readonly readSeal: () => Promise<Seal | undefined>
    readonly openWith: (seal: Seal, rootKey: Uint8Array) => Promise<boolean>
    readonly isOpen: () => boolean
  },
) {
  const { readSeal, openWith, isOpen } = service
  let progress: UnsealProgress = noProgress
  const uninitialized = refuse('not_initialized', `${word} is not initialized`)
  const unseal: Unsealing['unseal'] = async (text) => {
    if (isOpen()) return { ok: true, value: { opened: true } }
    const seal = await readSeal()
    if (seal === undefined) return uninitialized
    const taken = giveShare(progress, { share: asHex(text) }, env(), seal)
    if (!taken.ok) return taken
    progress = taken.state
    if (!taken.value.enough) return { ok: true, value: { opened: false } }
    const { given } = progress
    progress = noProgress
    const rootKey = await rootKeyFrom(crypto, seal, given)
    if (rootKey === undefined || !(await openWith(seal, rootKey)))
      return refuse('wrong_shares', 'unseal failed: these key shares do not fit this service; start again')
    return { ok: true, value: { opened: true } }
  }
  const unsealStatic: Unsealing['unsealStatic'] = async () => {
    if (isOpen() || staticSeal === undefined) return { ok: true, value: isOpen() }
    const seal = await readSeal()
    if (seal === undefined) return uninitialized
    const rootKey = rootKeyByStatic(crypto, staticSeal, seal)
    if (rootKey === undefined) return { ok: true, value: false }
    if ('ok' in rootKey) return rootKey
    return (await openWith(seal, rootKey))
      ? { ok: true, value: true }
      : refuse('static_key_wrong', 'the static key does not open the key ring of this data')
  }
  return {
    unseal,
    unsealStatic,
    progress: () => progress,
    restart: () => {
      progress = noProgress
    },
  }
}

/** A share in hexadecimal, from hexadecimal or base64; empty for other texts, which the engine refuses. */
export const asHex = (text: string): string => {
  if (/^([0-9a-fA-F]{2})+$/.test(text)) return text
  const bytes = fromBase64(text)
  return bytes && bytes.length > 0 ? toHex(bytes) : ''
}
