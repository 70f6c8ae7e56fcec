import { systemEnv, systemTimers } from '../../kernel/index.ts'
import { etcdClient } from '../../store/etcd/client.ts'
import { claimPrefix } from '../../store/etcd/opening.ts'
import { addressesOf, type EtcdOptions } from '../../store/etcd/options.ts'
import { below, encode } from '../../store/etcd/wire.ts'

/** How long a killed process counts as one that uses the data. */
const lifetimeSeconds = 15

/** Which processes use the data below a prefix: each keeps a key under a lease. */
export interface Presence {
  /** From then on, others see this process. */
  join(): Promise<void>
  areOthers(): Promise<boolean>
  leave(): Promise<void>
}

export function etcdPresence(
  endpoints: readonly string[],
  options: Omit<EtcdOptions, 'realm'> & { readonly prefix: string },
): Presence {
  const client = etcdClient(addressesOf(endpoints), options, systemTimers)
  const folder = `${options.prefix}/servers/`
  const own = encode(folder + systemEnv().newId('process'))
  let lease: string | undefined
  let stop = () => {}
  const take = async () => {
    const granted = await client.call<{ ID: string }>('/v3/lease/grant', { TTL: String(lifetimeSeconds) })
    lease = granted.ID
    await client.call('/v3/kv/put', { key: own, lease })
  }
  const keep = async () => {
    const { result } = await client.call<{ result?: { TTL?: string } }>('/v3/lease/keepalive', { ID: lease })
    // It expired while this process, or etcd, was paused.
    if (result?.TTL === undefined) await take()
  }
  const again = () => {
    stop = systemTimers.after(
      (lifetimeSeconds / 3) * 1000,
      () =>
        void keep()
          .catch(() => undefined)
          .then(again),
    )
  }
  return {
    join: async () => {
      if (lease !== undefined) return
      await claimPrefix({ client }, options.prefix)
      await take()
      again()
    },
    areOthers: async () => {
      const [found] = await client.read([{ ...below(folder), keys_only: true }])
      return (found?.kvs ?? []).some(({ key }) => key !== own)
    },
    leave: async () => {
      stop()
      if (lease !== undefined) await client.call('/v3/lease/revoke', { ID: lease }).catch(() => undefined)
      client.close()
    },
  }
}
