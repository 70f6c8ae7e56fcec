import { splitKey, toHex } from '../../../crypto/index.ts'
import { type Answer, refuse, unwrap } from '../../../kernel/index.ts'
import {
  type Attempt,
  type AttemptRefusal,
  giveToAttempt,
  type Rekey,
  type Seal,
  type SharesRefusal,
  startRekey,
} from '../../seal/index.ts'
import type { KeyStatus } from '../../seal/keyring.ts'
import { asHex } from '../core/barrier.ts'
import { type Core, stateOf } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { seals } from '../core/records.ts'
import { rootKeyFrom, sealRootKey } from '../core/root-key.ts'

/** The public state of a change of the shares. */
export interface RekeyStatus {
  /** The current attempt; `undefined` if there is none. */
  readonly rekey: Rekey | undefined
  /** The verification of its new shares, once they exist and if it was requested. */
  readonly verification: Verification | undefined
  /** How many of the current shares are needed. */
  readonly required: number
}

/** New shares to verify: until enough of them were sent back, the old ones unseal the service. */
export interface Verification extends Attempt {
  readonly shares: number
  readonly threshold: number
}

/** The keys of an unsealed service: the ring that encrypts values, and the shares that unseal it. */
export const keysOf = stateOf(keys)

function keys({ barrier, crypto, env, commit, emit, fresh }: Core) {
  let rekey: Rekey | undefined
  /** The new shares to verify, and the root key that is sealed with them. */
  let waiting:
    | { readonly attempt: Verification; readonly root: string; readonly shareBytes: number }
    | undefined
  const rekeyed = () => {
    rekey = undefined
    waiting = undefined
    emit({ at: env().now, namespace: '', type: 'seal.rekeyed' })
  }
  const changed = refuse('seal_changed', 'another server changed the keys: read the status and start again')

  /** Changes the stored seal, unless the key ring or the root of the shares was changed meanwhile. */
  const replace = async (before: Seal, what: 'keyring' | 'root', change: Partial<Seal>) =>
    unwrap(
      await commit((tx) => {
        const present = tx.get(seals, 'it')?.value.seal
        if (present === undefined || present[what] !== before[what]) return done(false)
        tx.put(seals, { seal: { ...present, ...change } })
        return done(true)
      }),
    )
  const status = async (): Promise<RekeyStatus> => ({
    rekey,
    verification: waiting?.attempt,
    required: (await sealNow({ fresh })).threshold,
  })

  /** Adds a key to the ring: new writes are encrypted with it, and older data stays readable. */
  const rotate = async (): Promise<Answer<KeyStatus, 'seal_changed'>> => {
    const { keyring, rootKey } = barrier.enter()
    const seal = await sealNow({ fresh })
    if (!keyring.learn(seal.keyring, rootKey)) return changed
    const turned = keyring.turnedWith(rootKey, env().now)
    // Another process has rotated the key meanwhile: this adds one more rotation.
    if (!(await replace(seal, 'keyring', { keyring: turned }))) return rotate()
    keyring.learn(turned, rootKey)
    return { ok: true, value: keyring.status() }
  }

  return {
    status: (): KeyStatus => barrier.enter().keyring.status(),
    rotate,
    rekeyStatus: status,
    startRekey: async (input: {
      readonly shares: number
      readonly threshold: number
      readonly verify?: boolean | undefined
    }): Promise<Answer<RekeyStatus, SharesRefusal | 'rekey_under_way'>> => {
      barrier.enter()
      const started = startRekey(rekey, input, env())
      if (!started.ok) return started
      rekey = started.state
      return { ok: true, value: await status() }
    },
    /** Accepts a current share; the last one needed returns the new ones, and invalidates the old ones. */
    giveShare: async ({
      share,
      nonce,
    }: {
      readonly share: string
      readonly nonce: string
    }): Promise<
      Answer<
        { readonly status: RekeyStatus; readonly newKeys?: readonly string[] },
        AttemptRefusal | 'wrong_shares' | 'seal_changed' | 'rekey_unverified'
      >
    > => {
      barrier.enter()
      if (waiting !== undefined)
        return refuse('rekey_unverified', 'the new key shares were created; verify them next')
      const seal = await sealNow({ fresh })
      const taken = giveToAttempt(rekey, { what: 'rekey', share: asHex(share), nonce }, env(), seal)
      if (!taken.ok) return taken
      rekey = taken.state
      const { given, shares, threshold, verify } = taken.state
      if (!taken.value.enough) return { ok: true, value: { status: await status() } }
      rekey = undefined
      const rootKey = await rootKeyFrom(crypto, seal, given)
      if (rootKey === undefined)
        return refuse('wrong_shares', 'rekey failed: these key shares do not fit this service; start again')
      const next = crypto.randomBytes(32)
      const split = await splitKey(next, shares, threshold)
      const root = sealRootKey(crypto, rootKey, next)
      const shareBytes = split[0]?.length ?? next.length
      if (verify) {
        rekey = taken.state
        waiting = { attempt: { nonce: env().newId('rekey'), given: [], shares, threshold }, root, shareBytes }
      } else {
        if (!(await replace(seal, 'root', { shares, threshold, shareBytes, root }))) return changed
        rekeyed()
      }
      const after = { rekey: taken.state, verification: waiting?.attempt, required: seal.threshold }
      return { ok: true, value: { status: after, newKeys: split.map(toHex) } }
    },
    /** Accepts a new share to verify it; with the last one needed the new shares replace the old ones. */
    verifyShare: async ({
      share,
      nonce,
    }: {
      readonly share: string
      readonly nonce: string
    }): Promise<
      Answer<
        { readonly verification: Verification; readonly complete: boolean },
        AttemptRefusal | 'wrong_shares' | 'seal_changed'
      >
    > => {
      const seal = await sealNow({ fresh })
      const { attempt, root, shareBytes } = waiting ?? { attempt: undefined, root: '', shareBytes: 0 }
      const about = { threshold: attempt?.threshold ?? 1, shareBytes }
      const taken = giveToAttempt(
        attempt,
        { what: 'rekey verification', share: asHex(share), nonce },
        env(),
        about,
      )
      if (!taken.ok) return taken
      waiting = { attempt: taken.state, root, shareBytes }
      if (!taken.value.enough) return { ok: true, value: { verification: taken.state, complete: false } }
      const { given, shares, threshold } = taken.state
      const next: Seal = { ...seal, shares, threshold, shareBytes, root }
      if ((await rootKeyFrom(crypto, next, given)) === undefined) {
        waiting = { attempt: { ...taken.state, nonce: env().newId('rekey'), given: [] }, root, shareBytes }
        return refuse(
          'wrong_shares',
          'rekey verification failed: these are not the new key shares; start again',
        )
      }
      if (!(await replace(seal, 'root', { shares, threshold, shareBytes, root }))) return changed
      rekeyed()
      return { ok: true, value: { verification: taken.state, complete: true } }
    },
    /** Drops the new shares given so far, and restarts with another nonce. */
    restartVerification: async (): Promise<Answer<RekeyStatus, 'attempt_not_started'>> => {
      barrier.enter()
      if (waiting === undefined) return refuse('attempt_not_started', 'no rekey verification in progress')
      waiting = { ...waiting, attempt: { ...waiting.attempt, nonce: env().newId('rekey'), given: [] } }
      return { ok: true, value: await status() }
    },
    cancelRekey: (): void => {
      rekey = undefined
      waiting = undefined
    },
  }
}

/** The stored seal of an unsealed service. */
export async function sealNow({ fresh }: Pick<Core, 'fresh'>): Promise<Seal> {
  const seal = seals.get(await fresh(), 'it')?.value.seal
  if (seal === undefined) throw new Error('an open service has no record of its seal')
  return seal
}
