import { checkOptions } from '../../kernel/check-options.ts'
import { belowAny } from '../port/check.ts'
import { checkStore } from '../port/check-store.ts'
import type { Collection } from '../port/collection.ts'
import { marks } from '../port/keys.ts'
import { isLocal, type Store } from '../port/port.ts'
import { localReplica } from './local-replica.ts'
import { readValues } from './read-values.ts'
import { remoteReplica } from './remote-replica.ts'
import { type Replica, type ReplicaOptions, replicaOptions } from './replica.ts'

/**
 * Opens a replica of some collections or prefixes; marks are always held. On a local store it is the store itself.
 *
 * @example
 * ```ts
 * import { collection, memoryStore, replica } from 'plinth/store'
 *
 * const pools = collection<{ name: string }>({ name: 'pool', key: (pool) => [pool.name] })
 * const view = await replica(memoryStore(), [pools, 'core/'])
 * pools.list((await view.fresh())) // []
 * ```
 */
export async function replica(
  store: Store,
  held: readonly (string | Pick<Collection<unknown>, 'prefix' | 'prefixes' | 'values'>)[],
  options: ReplicaOptions = {},
): Promise<Replica> {
  checkOptions('replica', options, replicaOptions)
  checkStore(store)
  if (!Array.isArray(held))
    throw new TypeError('replica: held is not an array: list the collections, as in replica(store, [phones])')
  const prefixes = [marks, ...held.flatMap((part) => (typeof part === 'string' ? [part] : part.prefixes))]
  const holds = belowAny(prefixes)
  const read = held.flatMap((part) =>
    typeof part !== 'string' && part.values === 'read' ? [part.prefix] : [],
  )
  if (isLocal(store)) return localReplica(store, holds, options)
  const followed = remoteReplica(
    store,
    { prefixes, holds, values: readValues(read.length === 0 ? undefined : belowAny(read)) },
    options,
  )
  await followed.fresh()
  return followed
}
