import { splitKey, toHex } from '../../../crypto/index.ts'
import { type Answer, refuse, unwrap } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
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
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { type Core, stateOf } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { seals } from '../core/records.ts'
import { rootKeyFrom, sealRootKey } from '../core/root-key.ts'
import { asHex } from '../core/unsealing.ts'

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

/** The attempts in progress of one server. */
interface Attempts {
  rekey: Rekey | undefined
  /** The new shares to verify, and the root key that is sealed with them. */
  waiting: { readonly attempt: Verification; readonly root: string; readonly shareBytes: number } | undefined
}

const attemptsOf = stateOf((): Attempts => ({ rekey: undefined, waiting: undefined }))

/** A share, and the attempt that it is for. */
export interface ShareInput {
  readonly share: string
  readonly nonce: string
}

const changed = refuse('seal_changed', 'another server changed the keys: read the status and start again')

/** Ends all attempts: the new shares are those that unseal the service. */
function rekeyed(core: Core): void {
  cancelRekey(core)
  core.emit({ at: core.env().now, namespace: '', type: 'seal.rekeyed' })
}

export function cancelRekey(core: Core): void {
  Object.assign(attemptsOf(core), { rekey: undefined, waiting: undefined } satisfies Attempts)
}

/** Changes the stored seal, unless the key ring or the root of the shares was changed meanwhile. */
const replace = async (core: Core, before: Seal, what: 'keyring' | 'root', change: Partial<Seal>) =>
  unwrap(
    await core.commit((tx) => {
      const present = tx.get(seals, 'it')?.value.seal
      if (present === undefined || present[what] !== before[what]) return done(false)
      tx.put(seals, { seal: { ...present, ...change } })
      return done(true)
    }),
  )

async function statusOf(core: Core): Promise<RekeyStatus> {
  const { rekey, waiting } = attemptsOf(core)
  return { rekey, verification: waiting?.attempt, required: (await sealNow(core)).threshold }
}

/** Adds a key to the ring: new writes are encrypted with it, and older data stays readable. */
async function rotate(core: Core): Promise<Answer<KeyStatus, 'seal_changed'>> {
  const { keyring, rootKey } = core.barrier.enter()
  const seal = await sealNow(core)
  if (!keyring.learn(seal.keyring, rootKey)) return changed
  const turned = keyring.turnedWith(rootKey, core.env().now)
  // Another process has rotated the key meanwhile: this adds one more rotation.
  if (!(await replace(core, seal, 'keyring', { keyring: turned }))) return rotate(core)
  keyring.learn(turned, rootKey)
  return found(keyring.status())
}

/** The result of a current share: the new shares, once there are enough. */
interface ShareTaken {
  readonly status: RekeyStatus
  readonly newKeys?: readonly string[]
}

async function giveShare(
  core: Core,
  { share, nonce }: ShareInput,
): Promise<Answer<ShareTaken, AttemptRefusal | 'wrong_shares' | 'seal_changed' | 'rekey_unverified'>> {
  core.barrier.enter()
  const attempts = attemptsOf(core)
  if (attempts.waiting !== undefined)
    return refuse('rekey_unverified', 'the new key shares were created; verify them next')
  const seal = await sealNow(core)
  const taken = giveToAttempt(attempts.rekey, { what: 'rekey', share: asHex(share), nonce }, core.env(), seal)
  if (!taken.ok) return taken
  attempts.rekey = taken.state
  const { given, shares, threshold, verify } = taken.state
  if (!taken.value.enough) return found({ status: await statusOf(core) })
  attempts.rekey = undefined
  const rootKey = await rootKeyFrom(core.crypto, seal, given)
  if (rootKey === undefined)
    return refuse('wrong_shares', 'rekey failed: these key shares do not fit this service; start again')
  const next = core.crypto.randomBytes(32)
  const split = await splitKey(next, shares, threshold)
  const root = sealRootKey(core.crypto, rootKey, next)
  const shareBytes = split[0]?.length ?? next.length
  if (verify) {
    attempts.rekey = taken.state
    attempts.waiting = {
      attempt: { nonce: core.env().newId('rekey'), given: [], shares, threshold },
      root,
      shareBytes,
    }
  } else {
    if (!(await replace(core, seal, 'root', { shares, threshold, shareBytes, root }))) return changed
    rekeyed(core)
  }
  const status = { rekey: taken.state, verification: attempts.waiting?.attempt, required: seal.threshold }
  return found({ status, newKeys: split.map(toHex) })
}

async function verifyShare(
  core: Core,
  { share, nonce }: ShareInput,
): Promise<
  Answer<
    { readonly verification: Verification; readonly complete: boolean },
    AttemptRefusal | 'wrong_shares' | 'seal_changed'
  >
> {
  const attempts = attemptsOf(core)
  const seal = await sealNow(core)
  const { attempt, root, shareBytes } = attempts.waiting ?? { attempt: undefined, root: '', shareBytes: 0 }
  const taken = giveToAttempt(
    attempt,
    { what: 'rekey verification', share: asHex(share), nonce },
    core.env(),
    { threshold: attempt?.threshold ?? 1, shareBytes },
  )
  if (!taken.ok) return taken
  attempts.waiting = { attempt: taken.state, root, shareBytes }
  if (!taken.value.enough) return found({ verification: taken.state, complete: false })
  const { given, shares, threshold } = taken.state
  const next: Seal = { ...seal, shares, threshold, shareBytes, root }
  if ((await rootKeyFrom(core.crypto, next, given)) === undefined) {
    const again = { ...taken.state, nonce: core.env().newId('rekey'), given: [] }
    attempts.waiting = { attempt: again, root, shareBytes }
    return refuse('wrong_shares', 'rekey verification failed: these are not the new key shares; start again')
  }
  if (!(await replace(core, seal, 'root', { shares, threshold, shareBytes, root }))) return changed
  rekeyed(core)
  return found({ verification: taken.state, complete: true })
}

/** The refusals of a share that is given to an attempt. */
export const shareRefusals = [
  'attempt_not_started',
  'attempt_nonce',
  'share_again',
  'share_not_text',
  'share_length',
  'wrong_shares',
] as const

/** The operations on the keys of an unsealed service: the ring that encrypts values, and the shares that unseal it. */
export const keyOperations = {
  status: routeOperation({
    refuses: [],
    run: async ({ core }: Within) => found(core.barrier.enter().keyring.status()),
  }),
  rotate: routeOperation({ refuses: ['seal_changed'], run: ({ core }: Within) => rotate(core) }),
  rekeyStatus: routeOperation({ refuses: [], run: async ({ core }: Within) => found(await statusOf(core)) }),
  startRekey: routeOperation({
    refuses: ['invalid_shares', 'rekey_under_way'],
    run: async (
      { core }: Within,
      input: {
        readonly shares: number
        readonly threshold: number
        readonly verify?: boolean | undefined
      },
    ): Promise<Answer<RekeyStatus, SharesRefusal | 'rekey_under_way'>> => {
      core.barrier.enter()
      const attempts = attemptsOf(core)
      const started = startRekey(attempts.rekey, input, core.env())
      if (!started.ok) return started
      attempts.rekey = started.state
      return found(await statusOf(core))
    },
  }),
  cancelRekey: routeOperation({ refuses: [], run: async ({ core }: Within) => found(cancelRekey(core)) }),
  /** Accepts a current share; the last one needed returns the new ones, and invalidates the old ones. */
  giveShare: routeOperation({
    refuses: [...shareRefusals, 'seal_changed', 'rekey_unverified'],
    run: ({ core }: Within, input: ShareInput) => giveShare(core, input),
  }),
  readBackup: routeOperation({
    refuses: ['no_rekey_backup'],
    run: async () => refuse('no_rekey_backup', 'no backed-up keys found'),
  }),
  /** The verification in progress. */
  verification: routeOperation({
    refuses: ['attempt_not_started'],
    run: async ({ core }: Within) => {
      const { verification } = await statusOf(core)
      return verification ? found(verification) : noVerification()
    },
  }),
  /** Accepts a new share to verify it; with the last one needed the new shares replace the old ones. */
  verifyShare: routeOperation({
    refuses: [...shareRefusals, 'seal_changed'],
    run: ({ core }: Within, input: ShareInput) => verifyShare(core, input),
  }),
  /** Drops the new shares given so far, and restarts with another nonce. */
  restartVerification: routeOperation({
    refuses: ['attempt_not_started'],
    run: async ({ core }: Within) => {
      core.barrier.enter()
      const attempts = attemptsOf(core)
      if (attempts.waiting === undefined) return noVerification()
      const attempt = { ...attempts.waiting.attempt, nonce: core.env().newId('rekey'), given: [] }
      attempts.waiting = { ...attempts.waiting, attempt }
      return found(attempt)
    },
  }),
}

const noVerification = () => refuse('attempt_not_started', 'no rekey verification in progress')

/** The stored seal of an unsealed service. */
export async function sealNow({ fresh }: Pick<Core, 'fresh'>): Promise<Seal> {
  const seal = seals.get(await fresh(), 'it')?.value.seal
  if (seal === undefined) throw new Error('an open service has no record of its seal')
  return seal
}
