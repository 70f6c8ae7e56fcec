import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { saveRealmBytes } from '../../../store/backup/portable.ts'
import { sealed } from '../../../store/decorators/sealed.ts'
import { sealedLocal } from '../../../store/decorators/sealed-local.ts'
import { isLocal, memoryStore, restoreRealm, type Store, StoreError } from '../../../store/index.ts'
import { expectOwnRealm, realmOwners } from '../../../store/realm/realm-owner.ts'
import type { Seal } from '../../seal/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import { seals } from './records.ts'
import { refreshingKeyring } from './refreshing-keyring.ts'

/** The storage of a service, and the meaning of its seal there. */
export interface Realm {
  /** The record of the seal, which is readable without keys; `undefined` before the initialisation. */
  readonly readSeal: () => Promise<Seal | undefined>
  /** The decrypted data while the service is unsealed. */
  readonly open: (keyring: Keyring, rootKey: Uint8Array) => Promise<Store>
  /** Seals the data: nothing stays readable without the keys. */
  readonly rest: (keyring: Keyring) => Promise<void>
}

const sealKey = seals.keyOf('it')
const ownerKey = realmOwners.keyOf('it')

/**
 * A realm in the caller's store, which others may read or copy: every value is encrypted before it is written.
 *
 * @param held - the key prefixes that the service replicates
 */
export function givenRealm(store: Store, held: readonly string[]): Realm {
  const readSeal: Realm['readSeal'] = async () => {
    const [entry, owner] = await store.read((view) => view.get([sealKey, ownerKey]))
    expectOwnRealm('secrets', owner && realmOwners.stored(owner).value)
    return entry && seals.stored(entry).value.seal
  }
  return {
    readSeal,
    open: async (keyring, rootKey) => {
      if (!isLocal(store))
        return refreshingKeyring(sealed(store, keyring), async () => {
          const seal = await readSeal()
          if (seal) keyring.learn(seal.keyring, rootKey)
        })
      keyring.whenUnknown(() => {
        const seal = seals.get(store.snapshot(), 'it')?.value.seal
        if (seal) keyring.learn(seal.keyring, rootKey)
      })
      return sealedLocal(store, keyring, held)
    },
    rest: async () => {},
  }
}

/** The sealed realm: its snapshot in encrypted pieces, and the record of the seal. */
interface Resting {
  readonly seal: Seal | undefined
  readonly pieces: Promise<readonly Uint8Array[]>
}

/** No commit is retried here, so none is remembered. */
const freshMemory = () => memoryStore({ remember: 100 })

/**
 * A private in-memory realm. While the service is unsealed, its keys are in the same memory, so encrypting values there
 * would protect nothing: values are in the clear then, and the whole realm is sealed together with the service.
 */
export function ownRealm(): Realm {
  let clear = freshMemory()
  let resting: Resting | undefined
  const sealIn = () => seals.get(clear.snapshot(), 'it')?.value.seal
  return {
    readSeal: async () => (resting === undefined ? sealIn() : resting.seal),
    open: async (keyring) => {
      const closed = resting
      if (closed === undefined) return clear
      const filled = freshMemory()
      await restoreRealm(filled, opened(await closed.pieces, keyring))
      // Two calls may have opened it concurrently: the first restored realm is used.
      if (resting === closed) {
        clear = filled
        resting = undefined
      }
      return clear
    },
    rest: async (keyring) => {
      if (resting !== undefined) return
      // In one synchronous step: the snapshot has every commit, and there are no further ones.
      const pieces = sealedPieces(clear, keyring)
      resting = { seal: sealIn(), pieces }
      const ended = clear.close()
      clear = freshMemory()
      await ended
      await pieces
    },
  }
}

const encoder = new TextEncoder()
const boundTo = (at: number): Uint8Array => encoder.encode(`realm/${at}`)

async function sealedPieces(store: Store, keyring: Keyring): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  await saveRealmBytes(store, async (bytes) => {
    pieces.push(keyring.seal(bytes, boundTo(pieces.length)))
    // A large realm takes a while: the event loop continues after each piece.
    await nextMacrotask()
  })
  return pieces
}

async function* opened(pieces: readonly Uint8Array[], keyring: Keyring): AsyncIterable<Uint8Array> {
  for (const [at, piece] of pieces.entries()) {
    await nextMacrotask()
    const text = keyring.open(piece, boundTo(at))
    if (text === undefined)
      throw new StoreError('corrupt', `piece ${at} of the realm cannot be opened with this key ring`)
    yield text
  }
}
