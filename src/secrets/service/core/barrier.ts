import { splitKey, toHex } from '../../../crypto/index.ts'
import type { Reporter } from '../../../kernel/event-emitter.ts'
import { type Answer, type Env, type Refused, refuse } from '../../../kernel/index.ts'
import { lru } from '../../../kernel/lru.ts'
import {
  type Collection,
  isStoreError,
  type Replica,
  replica,
  type Store,
  StoreError,
  type Tx,
} from '../../../store/index.ts'
import { realmOwners } from '../../../store/realm/realm-owner.ts'
import { runner } from '../../../store/transactions/runner.ts'
import { type Seal, type SealState, type SealStatus, sealStatus, sharesProblem } from '../../seal/index.ts'
import { type Keyring, newKeyring, openKeyring } from '../../seal/keyring.ts'
import { done } from './decision.ts'
import { givenRealm, ownRealm, type Realm } from './realm.ts'
import { seals } from './records.ts'
import { sealRootKey } from './root-key.ts'
import { SealedError } from './sealed-error.ts'
import { staticRoot } from './static-seal.ts'
import { type Unsealing, type UnsealOptions, unsealer } from './unsealing.ts'

/** The maximum number of cached characters of decrypted data. */
const latelyUnits = 8 * 1024 * 1024

/** The resources of an unsealed service. */
export interface Opened {
  readonly view: Replica
  readonly keyring: Keyring
  /** The key that encrypts the key ring, kept while the service is unsealed, so that the ring can be rotated. */
  readonly rootKey: Uint8Array
  /**
   * The data of recently read versions, decrypted, dropped when the service is sealed. A version's data never changes, and
   * the metadata decides whether it may be read, so it is never stale.
   */
  readonly lately: ReturnType<typeof lru<string>>
}

/** The seal of one service, between requests and data. */
export interface Barrier extends Unsealing {
  /**
   * The data.
   *
   * @throws {@link SealedError} while the service is sealed
   * @throws StoreError of code `closed` once the service is closed
   */
  readonly enter: () => Opened
  /** The same; `undefined` while the service is sealed. */
  readonly ifOpen: () => Opened | undefined
  /**
   * The refusal for an error that the seal caused; `undefined` for any other error.
   *
   * @throws a store error of code `foreign` if the realm belongs to another service: it cannot be unsealed
   */
  readonly interrupted: (error: unknown) => Promise<Refused<'sealed'> | undefined>
  /** Runs work that needs an unsealed service; refuses it if the service is sealed, or becomes so meanwhile. */
  readonly unlessSealed: <Result>(work: () => Promise<Result>) => Promise<Result | Refused<'sealed'>>
  readonly state: () => Promise<SealState>
  readonly status: () => Promise<SealStatus>
  /**
   * Splits a new key and writes the initial records of a service, which stays sealed. If it failed although the records
   * were written, the same request is answered with the same keys until the service is unsealed.
   */
  readonly initialize: (
    input: InitializeRequest,
    begin: (tx: Tx, env: Env, keyring: Keyring) => void,
  ) => Promise<Answer<InitialKeys, InitializeRefusal>>
  readonly seal: () => Promise<void>
  /** Closes the barrier: it cannot be unsealed again. */
  readonly close: () => Promise<void>
}

/** What a service is initialised with. */
export interface InitializeRequest {
  readonly shares: number
  readonly threshold: number
  readonly rootToken: string
  /** What must be the same in a request that is repeated. */
  readonly sameAs: string
  /** Receives the keys before anything is written. */
  readonly keepFirst: (keys: InitialKeys) => Promise<void>
}

/** The keys of a new service, which cannot be read again. */
export interface InitialKeys {
  /** The key shares, in hexadecimal. */
  readonly unsealKeys: readonly string[]
  readonly rootToken: string
}

/** Why a service is not initialised. */
export type InitializeRefusal = 'invalid_shares' | 'already_initialized'

export interface BarrierOptions extends UnsealOptions {
  /** The store; a realm of its own by default. */
  readonly store: Store | undefined
  /** The collections to replicate. */
  readonly held: readonly Pick<Collection<unknown>, 'prefix' | 'prefixes' | 'values'>[]
  readonly onError: Reporter
}

export function barrier(options: BarrierOptions): Barrier {
  const { store, crypto, env, word, held, onError, staticSeal } = options
  const prefixes = held.flatMap((part) => part.prefixes)
  const realm = store === undefined ? ownRealm() : givenRealm(store, prefixes)
  const reading = sealReading(realm)
  const { readSeal } = reading
  let opened: Opened | undefined
  const unconfirmed: Initializing['unconfirmed'] = new Map()
  const refusal: Refused<'sealed'> = refuse('sealed', `${word} is sealed`)

  const stateOf = (seal: Seal | undefined): SealState =>
    opened ? 'unsealed' : seal ? 'sealed' : 'uninitialized'
  const open = async (keyring: Keyring, rootKey: Uint8Array): Promise<Opened> => ({
    keyring,
    rootKey,
    view: await replica(await realm.open(keyring, rootKey), [...held, realmOwners], { onError }),
    lately: lru(latelyUnits, ({ length }) => length),
  })
  /** Unseals the service with its root key; false if it cannot decrypt the key ring. */
  const openWith = async (seal: Seal, rootKey: Uint8Array): Promise<boolean> => {
    const keyring = openKeyring(crypto, seal.keyring, rootKey)
    if (keyring === undefined) return false
    const made = await open(keyring, rootKey)
    // Two callers may send the last share concurrently: one of them unseals the service.
    if (opened || reading.isClosed()) await made.view.close()
    else opened = made
    unconfirmed.clear()
    reading.expectNotClosed()
    return true
  }
  const unsealing = unsealer(options, { readSeal, openWith, isOpen: () => opened !== undefined })

  const ifOpen = (): Opened | undefined => {
    if (opened === undefined) reading.expectNotClosed()
    return opened
  }
  const interrupted: Barrier['interrupted'] = async (error) => {
    if (error instanceof SealedError) {
      await reading.expectOwn()
      return refusal
    }
    if (!isStoreError(error, 'closed') || reading.isClosed()) return undefined
    // The service was sealed, and perhaps unsealed again; or its owner closed the store, which then reports it.
    if (opened) await readSeal().catch(() => {})
    return reading.isClosed() ? undefined : refusal
  }
  const leave = () => {
    const before = opened
    opened = undefined
    return before
  }

  return {
    ...unsealing,
    ifOpen,
    enter: () => {
      const now = ifOpen()
      if (now === undefined) throw new SealedError(refusal.refusal.message)
      return now
    },
    interrupted,
    unlessSealed: async (work) => {
      try {
        return await work()
      } catch (error) {
        const refused = await interrupted(error)
        if (refused) return refused
        throw error
      }
    },
    state: async () => (opened ? 'unsealed' : stateOf(await readSeal())),
    status: async () => {
      const seal = await readSeal()
      return sealStatus(stateOf(seal), seal, unsealing.progress())
    },
    initialize: (input, begin) =>
      initialize({ crypto, env, word, held, realm, readSeal, unconfirmed, staticSeal }, input, begin),
    seal: async () => {
      const before = leave()
      unsealing.restart()
      before?.lately.clear()
      before?.view.drop()
      const resting = before && realm.rest(before.keyring)
      await before?.view.close()
      await resting
    },
    close: async () => {
      const before = leave()
      reading.close()
      await before?.view.close()
    },
  }
}

/** Reads the record of the seal, and knows what its reads have shown about the store. */
function sealReading(realm: Realm) {
  /** Whether the service was closed, or its store was found to be closed by its owner. */
  let closed = false
  /** Whether the realm is known to be of this service. */
  let isOwn = false
  const expectNotClosed = () => {
    if (closed) throw new StoreError('closed', 'the secrets service, or its store, was closed')
  }
  const readSeal = async (): Promise<Seal | undefined> => {
    expectNotClosed()
    try {
      const seal = await realm.readSeal()
      isOwn ||= seal !== undefined
      return seal
    } catch (error) {
      closed ||= isStoreError(error, 'closed')
      throw error
    }
  }
  return {
    readSeal,
    isClosed: () => closed,
    expectNotClosed,
    /** Throws if the realm belongs to another service. */
    expectOwn: async () => {
      try {
        if (!isOwn) await readSeal()
      } catch (error) {
        if (isStoreError(error, 'foreign')) throw error
      }
    },
    close: () => {
      closed = true
    },
  }
}

/** What the initialisation of a service needs of its barrier. */
interface Initializing extends Pick<BarrierOptions, 'crypto' | 'env' | 'word' | 'held' | 'staticSeal'> {
  readonly realm: Realm
  readonly readSeal: () => Promise<Seal | undefined>
  /** The keys of failed attempts, which may have been written all the same, by the cluster's id. */
  readonly unconfirmed: Map<string, { readonly sameAs: string; readonly keys: InitialKeys }>
}

/** How many failed attempts are remembered. */
const mostUnconfirmed = 16

async function initialize(
  { crypto, env, word, held, realm, readSeal, unconfirmed, staticSeal }: Initializing,
  { shares, threshold, rootToken, sameAs, keepFirst }: InitializeRequest,
  begin: Parameters<Barrier['initialize']>[1],
): ReturnType<Barrier['initialize']> {
  const refused = sharesProblem(shares, threshold)
  if (refused) return refused
  const already = refuse('already_initialized', `${word} is already initialized`)
  /** The answer for a store that was initialised: by an attempt of this request, or by another one. */
  const answerFor = ({ clusterId }: Seal) => {
    const attempt = unconfirmed.get(clusterId)
    return attempt?.sameAs === sameAs ? ({ ok: true, value: attempt.keys } as const) : already
  }
  const before = await readSeal()
  if (before) return answerFor(before)
  const key = crypto.randomBytes(32)
  const keys = await splitKey(key, shares, threshold)
  const now = env()
  const keyring = newKeyring(crypto, now.now)
  const rootKey = crypto.randomBytes(32)
  const seal: Seal = {
    shares,
    threshold,
    shareBytes: keys[0]?.length ?? key.length,
    root: sealRootKey(crypto, rootKey, key),
    keyring: keyring.sealedWith(rootKey),
    ...(staticSeal && { static: staticRoot(crypto, staticSeal, rootKey) }),
    clusterId: now.newId('cluster'),
    createdAt: now.now,
  }
  const made: InitialKeys = { unsealKeys: keys.map(toHex), rootToken }
  await keepFirst(made)
  if (unconfirmed.size >= mostUnconfirmed) unconfirmed.clear()
  unconfirmed.set(seal.clusterId, { sameAs, keys: made })
  const write = async () => {
    // Without a report of errors: what another process initialises meanwhile cannot be decrypted.
    const view = await replica(await realm.open(keyring, rootKey), [...held, realmOwners])
    try {
      const { commit } = runner({ service: 'secrets', view: () => view, env, emit: () => {} })
      const begun = await commit<undefined, 'already_initialized'>((tx) => {
        if (tx.get(seals, 'it')) return already
        tx.put(seals, { seal })
        begin(tx, now, keyring)
        return done(undefined)
      })
      if (!begun.ok) return begun
      await realm.rest(keyring)
      return { ok: true, value: made } as const
    } finally {
      await view.close()
    }
  }
  try {
    const written = await write()
    unconfirmed.delete(seal.clusterId)
    return written
  } catch (error) {
    // This attempt was written although its answer failed, or another process has initialised the store.
    const stored = await readSeal()
    if (stored === undefined) throw error
    return answerFor(stored)
  }
}
