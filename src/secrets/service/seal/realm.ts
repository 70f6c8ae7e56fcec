import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { saveRealmBytes } from '../../../store/backup/portable.ts'
import { sealed } from '../../../store/decorators/sealed.ts'
import { sealedLocal } from '../../../store/decorators/sealed-local.ts'
import { isLocal, memoryStore, restoreRealm, type Store, StoreError } from '../../../store/index.ts'
import type { Seal } from '../../seal/index.ts'
import type { Keyring } from '../../seal/keyring.ts'
import { seals } from '../records.ts'
import { refreshingKeyring } from './refreshing-keyring.ts'

/** Where a service keeps everything, and what its seal means there. */
export interface Realm {
  /** The record of the seal, which is readable without keys; `undefined` before there is one. */
  readonly readSeal: () => Promise<Seal | undefined>
  /** The data in the clear, as long as the service is open. */
  readonly open: (keyring: Keyring, rootKey: Uint8Array) => Promise<Store>
  /** Nothing stays readable without the keys. */
  readonly rest: (keyring: Keyring) => Promise<void>
}

const sealKey = seals.keyOf('it')

/**
 * A realm in a store that the caller gave: others may read it, keep it and copy it, so that no value ever reaches it in
 * the clear.
 *
 * @param held - the prefixes of what the service reads all the time
 */
export function givenRealm(store: Store, held: readonly string[]): Realm {
  const readSeal: Realm['readSeal'] = async () => {
    const [entry] = await store.read((view) => view.get([sealKey]))
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

/** The realm at rest: a snapshot of it in sealed pieces, and the record of the seal beside them. */
interface Resting {
  readonly seal: Seal | undefined
  readonly pieces: Promise<readonly Uint8Array[]>
}

/** No commit is ever asked about again here: remembering them has no use. */
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
      // Two may have opened it at once: what the first of them restored is the realm.
      if (resting === closed) {
        clear = filled
        resting = undefined
      }
      return clear
    },
    rest: async (keyring) => {
      if (resting !== undefined) return
      // In one synchronous step: what is committed is in the snapshot, and nothing is committed any more.
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
    // A large realm takes a while: others have their turn after each piece.
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
