import { unwrap } from '../../../kernel/index.ts'
import type { Snapshot } from '../../../store/index.ts'
import type { Entity, IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import { writeEntity } from '../../identity/write-entity.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountTables } from '../core/records.ts'
import { aliasesOf, entityIn, newAlias } from './finding.ts'
import { aliases, entities, groups, groupsAtOnce } from './records.ts'
import { groupsOf } from './resolved.ts'

/** Aliases deleted per commit: each is up to five keys. */
const forgottenAtOnce = 10

/** Makes an entity a member of those external groups of a mount that its login names, and of no others of the mount. */
async function joinGroups(
  { core, namespace }: Within,
  now: Snapshot,
  accessor: string,
  entityId: string,
  names: readonly string[],
): Promise<void> {
  const ns = namespace.id
  const named = new Set(names.map((name) => name.toLowerCase()))
  /** Whether a group has or lacks the entity in contradiction to the login. */
  const contradicts = (at: Snapshot, { id, memberEntityIds }: IdentityGroup): boolean => {
    const alias = aliasesOf(at, ns, id).find(({ mountAccessor }) => mountAccessor === accessor)
    return alias !== undefined && named.has(alias.name.toLowerCase()) !== memberEntityIds.includes(entityId)
  }
  const changed = groupsOf(core, now, ns).filter(
    (group) => group.type === 'external' && contradicts(now, group),
  )
  for (let at = 0; at < changed.length; at += groupsAtOnce)
    await core.commit((tx, env) => {
      for (const { id } of changed.slice(at, at + groupsAtOnce)) {
        const group = tx.get(groups, ns, id)?.value.group
        if (group === undefined || !contradicts(tx.now, group)) continue
        const others = group.memberEntityIds.filter((member) => member !== entityId)
        const isIn = others.length < group.memberEntityIds.length
        const memberEntityIds = isIn ? others : [...others, entityId].sort()
        tx.put(groups, { namespace: ns, group: { ...group, memberEntityIds, updatedAt: env.now } })
      }
      return done(undefined)
    })
}

/** Whether an entity has nothing but an alias. */
const isAlone = (
  core: Core,
  now: Snapshot,
  namespace: string,
  { id }: Entity,
  alias: IdentityAlias,
): boolean =>
  aliasesOf(now, namespace, id).every((other) => other.id === alias.id) &&
  !groupsOf(core, now, namespace).some(({ memberEntityIds }) => memberEntityIds.includes(id))

/** Finds or creates the entity of a login, and updates its external groups. */
export async function admitLogin(
  { core, namespace }: Within,
  mount: Mount,
  name: string,
  groupNames: readonly string[],
): Promise<{ readonly namespace: string; readonly id: string; readonly isDisabled: boolean } | undefined> {
  const ns = namespace.id
  const before = await core.fresh()
  const known = aliases.find(before, 'name', ns, 'entity', mount.accessor, name)?.value.alias
  const id = known?.of ?? (await addEntity({ core, namespace }, mount, name))
  if (id === undefined) return undefined
  await joinGroups({ core, namespace }, before, mount.accessor, id, groupNames)
  const now = known ? before : await core.fresh()
  const isDisabled = entities.get(now, ns, id)?.value.entity.disabled ?? false
  return { namespace: ns, id, isDisabled }
}

/** Creates the entity of a first login; `undefined` if its mount was deleted meanwhile. */
async function addEntity(
  { core, namespace }: Within,
  mount: Mount,
  name: string,
): Promise<string | undefined> {
  const ns = namespace.id
  const drawn = core.randomText(8).toLowerCase()
  return unwrap(
    await core.commit((tx, env) => {
      const mounts = tx.get(mountTables, ns)?.value.table.mounts ?? {}
      // The mount or its namespace was deleted meanwhile: the records would be unreachable.
      if (!Object.values(mounts).some(({ id }) => id === mount.id)) return done(undefined)
      const again = tx.find(aliases, 'name', ns, 'entity', mount.accessor, name)?.value.alias
      if (again !== undefined) return done(again.of)
      const made = writeEntity(undefined, { name: `entity_${drawn}` }, env)
      // The generated name counts as no description.
      if (!made.ok || tx.find(entities, 'name', ns, made.state.name)) return done(undefined)
      const { id } = made.state
      tx.put(entities, { namespace: ns, entity: made.state })
      tx.put(aliases, {
        namespace: ns,
        alias: newAlias(env.newId('alias'), id, mount.accessor, name, env.now),
      })
      return done(id)
    }),
  )
}

/** Deletes the aliases of a removed mount, and the entities that only its logins created and nothing describes. */
export async function forgetMount({ core, namespace }: Within, accessor: string): Promise<void> {
  const ns = namespace.id
  const left = aliases
    .list(await core.fresh(), ns)
    .map(({ value }) => value.alias)
    .filter((alias) => alias.mountAccessor === accessor)
  for (let at = 0; at < left.length; at += forgottenAtOnce)
    await core.commit((tx) => {
      for (const alias of left.slice(at, at + forgottenAtOnce)) {
        tx.delete(aliases, ns, alias.of, alias.id)
        const entity = entityIn(tx, ns, { id: alias.of })
        if (entity && isBare(entity) && isAlone(core, tx.now, ns, entity, alias))
          tx.delete(entities, ns, entity.id)
      }
      return done(undefined)
    })
}

/** Whether an entity was created by a login and never changed since. */
const isBare = ({ policies, metadata, disabled, createdAt, updatedAt }: Entity): boolean =>
  policies.length === 0 && Object.keys(metadata).length === 0 && !disabled && createdAt === updatedAt
