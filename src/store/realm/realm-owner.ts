import type { Env } from '../../kernel/index.ts'
import { type Collection, collection } from '../port/collection.ts'
import { StoreError } from '../port/errors.ts'
import { type Entry, limits, type Rev, type Snapshot, type Store } from '../port/port.ts'
import { replica } from '../replica/open-replica.ts'
import type { Replica, ReplicaOptions } from '../replica/replica.ts'
import { Transaction, type Tx } from '../transactions/transaction.ts'

/** The services that keep a realm. */
export type ServiceName = 'catalog' | 'registry' | 'scheduler' | 'secrets'

/** Which service a realm belongs to, written with its first change. */
export interface RealmOwner {
  readonly service: ServiceName
  /** Tells two realms of one service apart; a restored realm has that of its original. */
  readonly realm: string
}

/** Below `core/`, so that a sealed store leaves it readable. */
export const realmOwners: Collection<RealmOwner> = collection<RealmOwner>({
  name: 'core/owner',
  key: () => ['it'],
  scopes: () => [],
})

const ownerKey = realmOwners.keyOf('it')

/** The owner record of an import. */
export const ownerEntry = (service: ServiceName, env: Env, rev: Rev = 1): Entry => ({
  key: ownerKey,
  value: { service, realm: env.newId('realm') },
  created: rev,
  modified: rev,
})

/**
 * Refuses the realm of another service.
 *
 * @throws {@link StoreError} of code `foreign`
 */
export function expectOwnRealm(service: ServiceName, owner: RealmOwner | undefined): void {
  if (owner !== undefined && owner.service !== service)
    throw new StoreError(
      'foreign',
      `this realm belongs to the ${owner.service} service: give the ${service} service a realm of its own, such as another name in realm`,
    )
}

const ownerIn = (now: Snapshot): RealmOwner | undefined => realmOwners.get(now, 'it')?.value

/** Opens the replica of a service; refuses the realm of another one. */
export async function openRealm(
  service: ServiceName,
  store: Store,
  held: Parameters<typeof replica>[1],
  options: ReplicaOptions,
): Promise<Replica> {
  const view = await replica(store, [...held, realmOwners], options)
  try {
    expectOwnRealm(service, ownerIn(view.stale()))
  } catch (error) {
    await view.close()
    throw error
  }
  return view
}

/** The owner of the realm that is decided on, which is written if there is none. */
export function claimRealm(service: ServiceName, tx: Tx, env: Env): RealmOwner {
  const owner = tx.get(realmOwners, 'it')?.value
  expectOwnRealm(service, owner)
  if (owner !== undefined) return owner
  const made: RealmOwner = { service, realm: env.newId('realm') }
  tx.put(realmOwners, made)
  return made
}

/** Returns a function that adds the owner record to the first commit of a realm that has none. */
export function firstClaim(service: ServiceName): (tx: Tx, env: Env) => void {
  let isOwned = false
  return (tx, env) => {
    if (isOwned) return
    const owner = ownerIn(tx.now)
    expectOwnRealm(service, owner)
    isOwned = owner !== undefined
    // A decision that fills its commit leaves the claim to the next one.
    if (!isOwned && tx instanceof Transaction && tx.written > 0 && tx.written < limits.keysPerCommit)
      claimRealm(service, tx, env)
  }
}
