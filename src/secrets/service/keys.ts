import { splitKey, toHex } from '../../crypto/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { transact } from '../../store/index.ts'
import {
  type AttemptRefusal,
  giveToAttempt,
  type Rekey,
  type Seal,
  type SharesRefusal,
  startRekey,
} from '../seal/index.ts'
import type { KeyStatus } from '../seal/keyring.ts'
import { asHex, type Opened } from './barrier.ts'
import { type Core, isRefused } from './core.ts'
import { seals } from './records.ts'
import { rootKeyFrom, sealRootKey } from './root-key.ts'

/** A change of the shares as anybody may know it. */
export interface RekeyStatus {
  /** The attempt under way; `undefined` when there is none. */
  readonly rekey: Rekey | undefined
  /** How many of the present shares are needed. */
  readonly required: number
}

type KeyResult<Value, Code extends string> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Code | 'sealed'>

/** The keys of an open service: the ring that seals values, and the shares that open it. */
export interface KeysService {
  readonly status: () => KeyResult<KeyStatus, never>
  /** Adds a key to the ring: what is written from now on is sealed with it, and all the rest stays readable. */
  readonly rotate: () => Promise<KeyResult<KeyStatus, 'seal_changed'>>
  readonly rekeyStatus: () => Promise<KeyResult<RekeyStatus, never>>
  readonly startRekey: (input: {
    readonly shares: number
    readonly threshold: number
  }) => Promise<KeyResult<RekeyStatus, SharesRefusal | 'rekey_under_way'>>
  /** Takes a present share; the last one needed gives the new ones, and ends the use of the old ones. */
  readonly giveShare: (input: {
    readonly share: string
    readonly nonce: string
  }) => Promise<
    KeyResult<
      { readonly status: RekeyStatus; readonly newKeys?: readonly string[] },
      AttemptRefusal | 'wrong_shares' | 'seal_changed'
    >
  >
  readonly cancelRekey: () => void
}

export function keysService({ barrier, crypto, env, newCommitId }: Core): KeysService {
  let rekey: Rekey | undefined
  const changed = refuse(
    'seal_changed',
    'another server changed the keys meanwhile: look at the status and begin again',
  )

  /** Writes another seal in the place of the one it was made from, and of no other. */
  const replace = async ({ view }: Opened, before: Seal, after: Seal): Promise<boolean> => {
    const { result } = await transact(view, newCommitId, (tx) => {
      const present = tx.get(seals, 'it')?.value.seal
      if (present?.keyring !== before.keyring || present.root !== before.root) return false
      tx.put(seals, { seal: after })
      return true
    })
    return result
  }
  const statusIn = async (opened: Opened): Promise<RekeyStatus> => ({
    rekey,
    required: (await sealIn(opened)).threshold,
  })

  return {
    status: () => {
      const opened = barrier.enter()
      return isRefused(opened) ? opened : { ok: true, value: opened.keyring.status() }
    },
    rotate: async () => {
      const opened = barrier.enter()
      if (isRefused(opened)) return opened
      const { keyring, rootKey } = opened
      const seal = await sealIn(opened)
      if (!keyring.learn(seal.keyring, rootKey)) return changed
      const turned = keyring.turnedWith(rootKey, env().now)
      if (!(await replace(opened, seal, { ...seal, keyring: turned }))) return changed
      keyring.learn(turned, rootKey)
      return { ok: true, value: keyring.status() }
    },
    rekeyStatus: async () => {
      const opened = barrier.enter()
      return isRefused(opened) ? opened : { ok: true, value: await statusIn(opened) }
    },
    startRekey: async (input) => {
      const opened = barrier.enter()
      if (isRefused(opened)) return opened
      const started = startRekey(rekey, input, env())
      if (!started.ok) return started
      rekey = started.state
      return { ok: true, value: await statusIn(opened) }
    },
    giveShare: async ({ share, nonce }) => {
      const opened = barrier.enter()
      if (isRefused(opened)) return opened
      const seal = await sealIn(opened)
      const taken = giveToAttempt('rekey', rekey, { share: asHex(share), nonce }, env(), seal)
      if (!taken.ok) return taken
      rekey = taken.state
      const { given, shares, threshold } = taken.state
      if (!taken.value.enough) return { ok: true, value: { status: await statusIn(opened) } }
      rekey = undefined
      const rootKey = await rootKeyFrom(crypto, seal, given)
      if (rootKey === undefined)
        return refuse('wrong_shares', 'rekey failed: these key shares do not fit this service; start again')
      const next = crypto.randomBytes(32)
      const split = await splitKey(next, shares, threshold)
      const root = sealRootKey(crypto, rootKey, next)
      const shareBytes = split[0]?.length ?? next.length
      if (!(await replace(opened, seal, { ...seal, shares, threshold, shareBytes, root }))) return changed
      const status = { rekey: taken.state, required: seal.threshold }
      return { ok: true, value: { status, newKeys: split.map(toHex) } }
    },
    cancelRekey: () => {
      rekey = undefined
    },
  }
}

/** The seal of an open service as it is stored now. */
export async function sealIn({ view }: Opened): Promise<Seal> {
  const seal = seals.get(await view.fresh(), 'it')?.value.seal
  if (seal === undefined) throw new Error('an open service has no record of its seal')
  return seal
}
