import { type Answer, type Env, type Outcome, type Refused, refuse } from '../../../kernel/index.ts'
import { prefixOf, type Tx } from '../../../store/index.ts'
import {
  canonicalPath,
  disableMount,
  type EnableInput,
  type EnableRefusal,
  enableMount,
  finishUpgrade,
  freshMounts,
  listMounts,
  type Mount,
  type MountEvent,
  type MountTable,
  type MoveRefusal,
  missingMounts,
  moveMount,
  type TuneInput,
  tuneMount,
} from '../../mounts/index.ts'
import { approleAccessors, approleRoleIds, approleRoles, approleSecretIds } from '../approle/records.ts'
import type { Core, Namespace } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { debris, mountTables, namespaceTables } from '../core/records.ts'
import type { IdentityService } from '../identity/service.ts'
import { idpConfigs, idpGroups, idpUsers } from '../idp/records.ts'
import { entries, entryNames, entryPieces, kvConfigs, secrets } from '../kv/records.ts'

import type { TokensService } from '../tokens/tokens.ts'
import { transitKeys } from '../transit/records.ts'
import { userpassUsers } from '../userpass/records.ts'

/** A completed move: one commit moves a mount, so no move is ever in progress. */
export interface Moved {
  /** The namespace in which it was created. */
  readonly namespace: string
  readonly from: string
  readonly to: string
}

/** How many completed moves this process remembers. */
const movesKept = 100

/** The mounts of a service. */
export type MountsService = ReturnType<typeof mountsService>

export function mountsService(
  core: Core,
  sweepAt: (instant: number) => void,
  tokens: Pick<TokensService, 'revokeAll'>,
  identity: Pick<IdentityService, 'forgetMount'>,
) {
  const change = <V, C extends string>(
    namespace: Namespace,
    command: (table: MountTable, env: Env, tx: Tx) => Outcome<MountTable, V, MountEvent, C>,
    effects: (tx: Tx, value: V) => void = () => {},
  ) =>
    core.commit<V, C>((tx, env) => {
      const before = tx.get(mountTables, namespace.id)?.value.table ?? { mounts: {} }
      const outcome = command(before, env, tx)
      if (outcome.ok && outcome.state !== before) {
        tx.put(mountTables, { namespace: namespace.id, table: outcome.state })
        effects(tx, outcome.value)
      }
      return core.happened(outcome, { namespace: namespace.path })
    })
  const moves = new Map<string, Moved>()
  const tableOf = async (namespace: Namespace) => core.mountsOf(await core.fresh(), namespace).table

  return {
    list: async (namespace: Namespace, kind: 'secret' | 'auth') => listMounts(await tableOf(namespace), kind),
    read: async (namespace: Namespace, path: string): Promise<Mount | undefined> => {
      const { mounts } = await tableOf(namespace)
      return Object.hasOwn(mounts, path) ? mounts[path] : undefined
    },
    enable: (
      namespace: Namespace,
      input: Omit<EnableInput, 'accessorTail'>,
    ): Promise<Answer<Mount, EnableRefusal>> => {
      const accessorTail = core.randomText(8).toLowerCase()
      return change(
        namespace,
        (before, env, tx) =>
          goneWith(tx, namespace, 'mount_path_invalid') ??
          hiddenAt(tx, namespace, input.path) ??
          enableMount(before, { ...input, accessorTail }, env, core.mountPolicy),
      )
    },
    tune: (namespace: Namespace, input: TuneInput) =>
      change(namespace, (before, env) => tuneMount(before, input, env, core.mountPolicy)),
    move: async (
      namespace: Namespace,
      input: { readonly from: string; readonly to: string },
    ): Promise<Answer<{ readonly mount: Mount; readonly migration: string }, MoveRefusal>> => {
      const result = await change(
        namespace,
        (before, env, tx) =>
          hiddenAt(tx, namespace, input.to) ?? moveMount(before, input, env, core.mountPolicy),
      )
      if (!result.ok) return result
      const { id, moves: made = 0 } = result.value
      // The users of the old path are logged out: their tokens are invalid already, and only need to be deleted.
      if (made > 0) await tokens.revokeAll(({ login }) => login?.mount === id && (login.moves ?? 0) < made)
      const migration = core.env().newId('migration')
      const [oldest] = moves.keys()
      if (oldest !== undefined && moves.size >= movesKept) moves.delete(oldest)
      moves.set(migration, {
        namespace: namespace.path,
        from: canonicalPath(input.from),
        to: result.value.path,
      })
      return { ok: true, value: { mount: result.value, migration } }
    },
    /** The target of a move, by its migration id; `undefined` for an unknown id. */
    movedBy: (id: string): Moved | undefined => moves.get(id),
    /** Unmounts and deletes the mount's data, including the tokens of its logins; a free path is not an error. */
    disable: async (
      namespace: Namespace,
      path: string,
    ): Promise<Answer<Mount | undefined, 'mount_fixed'>> => {
      const result = await change(
        namespace,
        (before, env) => disableMount(before, { path }, env, core.mountPolicy),
        (tx, mount) => mount && tx.put(debris, { id: mount.id, prefixes: mountPrefixes(mount) }),
      )
      if (!result.ok || result.value === undefined) return result
      const { id, path: gone, accessor } = result.value
      sweepAt(core.env().now)
      // Its users are logged out: their tokens are invalid already, and only need to be deleted.
      if (gone.startsWith('auth/')) {
        await tokens.revokeAll(({ login }) => login?.mount === id)
        await identity.forgetMount(namespace, accessor)
      }
      return result
    },
    /** Creates the built-in mounts that a namespace of an earlier release lacks. */
    complete: async (namespace: Namespace): Promise<void> => {
      const missing = missingMounts(await tableOf(namespace))
      if (missing.length === 0) return
      await core.commit((tx, env) => {
        const table = tx.get(mountTables, namespace.id)?.value.table
        const born = table && freshMounts(missingMounts(table), env, () => core.randomText(8).toLowerCase())
        if (born)
          tx.put(mountTables, {
            namespace: namespace.id,
            table: { mounts: { ...table.mounts, ...born.mounts } },
          })
        return done(undefined)
      })
    },
    /** Completes an upgrade once all entries are rewritten. */
    finishUpgrade: (namespace: Namespace, id: string) =>
      change(namespace, (before) => finishUpgrade(before, { id })),
  }
}

/** Refuses an unreachable place: below a namespace's name, all paths are that namespace's. */
function hiddenAt(tx: Tx, namespace: Namespace, path: string): Refused<'mount_path_taken'> | undefined {
  const whole = namespace.path + canonicalPath(path)
  const others = tx.get(namespaceTables, 'all')?.value.table.namespaces ?? {}
  const within = Object.keys(others).find(
    (other) => other.length > namespace.path.length && whole.startsWith(other),
  )
  return within === undefined
    ? undefined
    : refuse('mount_path_taken', `path is already in use at ${within.slice(namespace.path.length)}`)
}

/** The key prefixes of a mount's data, which is unreachable once the mount is deleted, and swept later. */
export const mountPrefixes = ({ id }: Mount): readonly string[] => [
  ...[secrets, entryNames, entries, entryPieces, idpUsers, idpGroups, userpassUsers, transitKeys].map(
    ({ name }) => prefixOf(name, id),
  ),
  ...[approleRoles, approleRoleIds, approleSecretIds, approleAccessors].map(({ name }) => prefixOf(name, id)),
  kvConfigs.keyOf(id),
  idpConfigs.keyOf(id),
]
