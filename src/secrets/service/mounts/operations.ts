import * as z from 'zod'
import { onlyFields } from '../../../kernel/check-input.ts'
import { type Env, type Outcome, type Refused, refuse } from '../../../kernel/index.ts'
import { argument, like, optionalArgument } from '../../../operation/arguments.ts'
import { asRead, fields } from '../../../operation/known-fields.ts'
import { operation, routeOperation } from '../../../operation/operation.ts'
import type { Tx } from '../../../store/index.ts'
import { reaches } from '../../acl/decide.ts'
import {
  canonicalPath,
  disableMount,
  type EnableInput,
  type EnableRefusal,
  enableMount,
  finishUpgrade,
  freshMounts,
  type MountEvent,
  type MountTable,
  missingMounts,
  moveMount,
  type TuneInput,
  tuneMount,
} from '../../mounts/index.ts'
import { Mount } from '../../mounts/model.ts'
import { tuneFields } from '../../mounts/tune-mount.ts'
import { rightsOf } from '../access/rights.ts'
import { found } from '../core/answer.ts'
import { path, seconds, text } from '../core/arguments.ts'
import type { SecretsContext, Sited, Within } from '../core/context.ts'
import { type Concept, type Namespace, rootNamespace, stateOf } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountAtPath, mountsIn } from '../core/find-mounts.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { goneWith, namespaceTable, namespaceTableIn } from '../core/namespaces.ts'
import { debris, mountTables } from '../core/records.ts'
import { forgetMount } from '../identity/logins.ts'
import { upgradeEntries } from '../kv/upgrade.ts'
import { revokeAll } from '../tokens/revocation.ts'

type Enable = Omit<EnableInput, 'accessorTail'>

const settings = Mount.pick({
  description: true,
  options: true,
  tokenType: true,
  listingVisibility: true,
  userLockout: true,
  auditNonHmacRequestKeys: true,
  auditNonHmacResponseKeys: true,
  passthroughRequestHeaders: true,
  allowedResponseHeaders: true,
})
const leaseSeconds = seconds.or(z.literal('system'))

const kind = optionalArgument(argument<'secret' | 'auth'>('kind', like(z.enum(['secret', 'auth']))))
const enabled = argument<Enable>(
  'input',
  fields({
    ...asRead(Mount),
    ...settings
      .extend({ defaultLeaseTtlSeconds: seconds, maxLeaseTtlSeconds: seconds })
      .extend(Mount.pick({ local: true, sealWrap: true }).shape)
      .partial().shape,
    path: z.string(),
    type: z.string(),
  }),
)
const tuned = argument<TuneInput>(
  'input',
  fields({
    ...asRead(Mount),
    ...settings.extend({ defaultLeaseTtlSeconds: leaseSeconds, maxLeaseTtlSeconds: leaseSeconds }).partial()
      .shape,
    path: z.string(),
  }),
)

const placing = ['mount_path_invalid', 'mount_path_protected', 'mount_path_taken'] as const
const moving = [...placing, 'mount_not_found', 'mount_fixed', 'mount_role_change'] as const

/** A completed move: one commit moves a mount, so no move is ever in progress. */
interface Moved {
  /** The namespace in which it was created. */
  readonly namespace: string
  readonly from: string
  readonly to: string
}

/** How many completed moves this process remembers. */
const movesKept = 100

/** The completed moves of this process, by their migration ids. */
const movesOf = stateOf(() => new Map<string, Moved>())

const change = <V, C extends string>(
  { core, namespace }: Within,
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

/** Refuses an unreachable place: below a namespace's name, all paths are that namespace's. */
function hiddenAt(tx: Tx, namespace: Namespace, path: string): Refused<'mount_path_taken'> | undefined {
  const whole = namespace.path + canonicalPath(path)
  const others = namespaceTableIn(tx).namespaces
  const within = Object.keys(others).find(
    (other) => other.length > namespace.path.length && whole.startsWith(other),
  )
  return within === undefined
    ? undefined
    : refuse('mount_path_taken', `path is already in use at ${within.slice(namespace.path.length)}`)
}

/** Moves a mount, and remembers it. */
async function move(at: Within, input: { readonly from: string; readonly to: string }) {
  const { core, namespace } = at
  const result = await change(
    at,
    (before, env, tx) => hiddenAt(tx, namespace, input.to) ?? moveMount(before, input, env, core.mountPolicy),
  )
  if (!result.ok) return result
  const { id, moves: made = 0 } = result.value
  // The users of the old path are logged out: their tokens are invalid already, and only need to be deleted.
  if (made > 0) await revokeAll(core, ({ login }) => login?.mount === id && (login.moves ?? 0) < made)
  const migration = core.env().newId('migration')
  const moves = movesOf(core)
  const [oldest] = moves.keys()
  if (oldest !== undefined && moves.size >= movesKept) moves.delete(oldest)
  moves.set(migration, {
    namespace: namespace.path,
    from: canonicalPath(input.from),
    to: result.value.path,
  })
  return found({ mount: result.value, migration })
}

/** Rewrites the entries of a mount for version 2, then enables it again. */
async function upgrade(at: Sited): Promise<void> {
  await upgradeEntries(at)
  await change(at, (before) => finishUpgrade(before, { id: at.mount.id }))
}

/** Creates the built-in mounts that a namespace of an earlier release lacks. */
async function complete({ core, namespace }: Within): Promise<void> {
  const { table: current } = core.mountsOf(await core.fresh(), namespace)
  if (missingMounts(current).length === 0) return
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
}

export const mounts: Concept = {
  // Upgrades that were interrupted by the end of a process.
  resume: async (core) => {
    const others = Object.values(namespaceTable(await core.fresh()).namespaces)
    for (const namespace of [rootNamespace, ...others]) {
      await complete({ core, namespace })
      for (const mount of await mountsIn(core, namespace, 'secret'))
        if (mount.upgrading) await upgrade({ core, namespace, mount })
    }
  },
}

/** The operations on the mounts of a namespace. */
export const mountOperations = {
  /**
   * Secrets engines, or auth methods, ordered by path.
   *
   * @example await secrets.mounts.list('auth')
   */
  list: operation({
    takes: [kind],
    refuses: [],
    run: async ({ core, namespace }: Within, kind: 'secret' | 'auth' = 'secret') =>
      found(await mountsIn(core, namespace, kind)),
  }),
  /**
   * Mounts a secrets engine (`path: 'secret/'`) or an auth method (`path: 'auth/idp/'`).
   *
   * @example
   * ```ts
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets()
   * const mounted = await service.mounts.enable({ path: 'team/', type: 'kv', options: { version: '2' } })
   * mounted.ok && mounted.value.path // 'team/'
   * await service.kv('team').write('app', { password: 'hunter2' })
   * await service.close()
   * ```
   */
  enable: operation({
    takes: [enabled],
    refuses: [
      ...placing,
      'mount_type_missing',
      'mount_type_unknown',
      'mount_version_invalid',
      'lease_ttl_order',
    ],
    run: (at: Within, input: Enable) => {
      const { core, namespace } = at
      const accessorTail = core.randomText(8).toLowerCase()
      return change(
        at,
        (before, env, tx): Outcome<MountTable, Mount, MountEvent, EnableRefusal> =>
          goneWith(tx, namespace, 'mount_path_invalid') ??
          hiddenAt(tx, namespace, input.path) ??
          enableMount(before, { ...input, accessorTail }, env, core.mountPolicy),
      )
    },
  }),
  /**
   * Changes settings. Raising a key/value mount to version 2 rewrites its entries before this resolves.
   *
   * @example await secrets.mounts.tune({ path: 'plain/', description: 'of the old app' })
   */
  tune: operation({
    takes: [tuned],
    refuses: ['mount_not_found', 'mount_version_invalid', 'mount_version_downgrade', 'lease_ttl_order'],
    run: async (at: Within, input: TuneInput) => {
      const result = await change(at, (before, env) =>
        tuneMount(before, onlyFields(input, { ...tuneFields, path: '' }), env, at.core.mountPolicy),
      )
      if (result.ok && result.value.upgrade) await upgrade({ ...at, mount: result.value.mount })
      return result
    },
  }),
  /**
   * Moves a mount with its data; users of an auth method must sign in again.
   *
   * @example await secrets.mounts.move('plain/', 'old/')
   */
  move: operation({
    takes: [text('from'), text('to')],
    refuses: moving,
    run: async (at: Within, from: string, to: string) => {
      const moved = await move(at, { from, to })
      return moved.ok ? found(moved.value.mount) : moved
    },
  }),
  /**
   * Unmounts and deletes everything in the mount; `undefined` if the path was free.
   *
   * @example await secrets.mounts.disable('plain/')
   */
  disable: operation({
    takes: [path],
    refuses: ['mount_fixed'],
    run: async (at: Within, path: string) => {
      const { core } = at
      const result = await change(
        at,
        (before, env) => disableMount(before, { path }, env, core.mountPolicy),
        (tx, mount) => {
          if (mount === undefined) return
          const prefixes = core.concepts.flatMap(({ ofMount }) => ofMount?.(mount.id) ?? [])
          tx.put(debris, { id: mount.id, prefixes })
        },
      )
      if (!result.ok || result.value === undefined) return result
      const { id, path: gone, accessor } = result.value
      core.sweeper.at(core.env().now)
      // Its users are logged out: their tokens are invalid already, and only need to be deleted.
      if (gone.startsWith('auth/')) {
        await revokeAll(core, ({ login }) => login?.mount === id)
        await forgetMount(at, accessor)
      }
      return result
    },
  }),
}

/** Selects the mounts in which the caller's policies grant anything; none without a token. */
async function isUsable({ core, namespace, caller }: SecretsContext): Promise<(mount: Mount) => boolean> {
  const acl = await rightsOf(core, await core.fresh(), caller?.token)
  return ({ path }) => reaches(acl, namespace.path + path)
}

/** The operations that have no typed method. */
export const mountRouteOperations = {
  /** Creates a mount, or changes its settings. */
  write: routeOperation({
    refuses: [...mountOperations.enable.refuses, ...mountOperations.tune.refuses],
    run: async (at: Within, input: { readonly enable: Enable } | { readonly tune: TuneInput }) => {
      if ('tune' in input) return mountOperations.tune.run(at, input.tune)
      const made = await mountOperations.enable.run(at, input.enable)
      return made.ok ? found({ mount: made.value, upgrade: false }) : made
    },
  }),
  /** The mounts that the caller may use. */
  usable: routeOperation({
    refuses: [],
    run: async (context: SecretsContext) => {
      const { core, namespace } = context
      const isReachable = await isUsable(context)
      const isShown = (mount: Mount) => mount.listingVisibility === 'unauth' || isReachable(mount)
      return found({
        secret: (await mountsIn(core, namespace, 'secret')).filter(isShown),
        auth: (await mountsIn(core, namespace, 'auth')).filter(isShown),
      })
    },
  }),
  /** The mount of a path, if the caller may use it. */
  usableAt: routeOperation({
    refuses: ['ui_mount_hidden'],
    run: async (context: SecretsContext, path: string) => {
      const { core, namespace } = context
      const mount = core.mountsOf(await core.fresh(), namespace).find(path)?.mount
      return mount && (await isUsable(context))(mount)
        ? found(mount)
        : refuse(
            'ui_mount_hidden',
            `preflight capability check returned 403, please ensure client's policies grant access to path "${canonicalPath(path)}"`,
          )
    },
  }),
  read: routeOperation({
    refuses: ['mount_not_found'],
    run: async ({ core, namespace }: Within, path: string) => {
      const canonical = path.endsWith('/') ? path : `${path}/`
      const mount = await mountAtPath(core, namespace, canonical)
      return mount ? found(mount) : refuse('mount_not_found', `No secret engine mount at ${canonical}`)
    },
  }),
  /** Moves a mount; returns the migration id as well. */
  move: routeOperation({
    refuses: moving,
    run: (at: Within, from: string, to: string) => move(at, { from, to }),
  }),
  /** The target of a move, by its migration id; `undefined` for an unknown id. */
  moved: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, id: string) => {
      const moved = movesOf(core).get(id)
      return found(moved?.namespace === namespace.path ? moved : undefined)
    },
  }),
}

/** The mounts of a service, for programs that embed it. */
export interface MountsHandle extends SecretsMethods<typeof mountOperations> {}
