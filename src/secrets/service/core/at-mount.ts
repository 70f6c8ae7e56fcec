import type { Env, Refused } from '../../../kernel/index.ts'
import type { Tx } from '../../../store/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { Sited } from './context.ts'
import { mountIsGone, type Place } from './core.ts'
import type { Happening } from './events.ts'
import { mountTables } from './records.ts'

/** Events of a mount, before their place is added. */
type AtMount = Extract<Happening, { readonly mount: string }>
type Bare<Event> = Event extends unknown ? Omit<Event, 'namespace' | 'mount'> : never

/** The place of an event within a mount. */
const whereOf = ({ namespace, mount }: Place) => ({ namespace: namespace.path, mount: mount.path })

/** Decides and commits a change of a mount's records, unless the mount was deleted before. */
export const changeAt = <Value, Code extends string = never, Event extends Bare<AtMount> = never>(
  at: Sited,
  decide: (tx: Tx, env: Env) => Decision<Value, Event> | Refused<Code>,
) =>
  at.core.commit<Value, Code | 'mount_gone'>((tx, env) => {
    const mounts = tx.get(mountTables, at.namespace.id)?.value.table.mounts ?? {}
    if (!Object.values(mounts).some(({ id }) => id === at.mount.id)) return mountIsGone(at.mount)
    // The event of a mount, with its mount.
    return at.core.happened(decide(tx, env), whereOf(at)) as Decision<Value, Happening> | Refused<Code>
  })

export const emitAt = (at: Sited, event: Bare<AtMount>): void =>
  at.core.emit({ at: at.core.env().now, ...whereOf(at), ...event } as Happening & { readonly at: number })
