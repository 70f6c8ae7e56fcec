import type { Env, Refused } from '../../../kernel/index.ts'
import type { Tx } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import { type Core, mountIsGone, type Place } from './core.ts'
import type { Happening } from './events.ts'
import { mountTables } from './records.ts'

/** Events of an auth method, before their mount is added. */
type AtMount = Extract<Happening, { readonly mount: string }>
type Bare<Event> = Event extends unknown ? Omit<Event, 'namespace' | 'mount'> : never

/** The place of an event within a mount. */
const whereOf = ({ namespace, mount }: Place) => ({ namespace: namespace.path, mount: mount.path })

/** Changes and events of one mount of an auth method. */
export function atMount(core: Core) {
  return {
    /** Decides and commits, unless the mount was deleted before. */
    change: <Value, Code extends string = never, Event extends Bare<AtMount> = never>(
      place: Place,
      decide: (tx: Tx, env: Env) => Decision<Value, Event> | Refused<Code>,
    ) =>
      core.commit<Value, Code | 'mount_gone'>((tx, env) => {
        const mounts = tx.get(mountTables, place.namespace.id)?.value.table.mounts ?? {}
        if (!Object.values(mounts).some(({ id }) => id === place.mount.id)) return mountIsGone(place.mount)
        // The event of a mount, with its mount.
        return core.happened(decide(tx, env), whereOf(place)) as Decision<Value, Happening> | Refused<Code>
      }),
    emit: (place: Place, event: Bare<AtMount>): void =>
      core.emit({ at: core.env().now, ...whereOf(place), ...event } as Happening & { readonly at: number }),
  }
}
