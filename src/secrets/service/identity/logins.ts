import { unwrap } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { Entity, IdentityAlias } from '../../identity/model.ts'
import { writeEntity } from '../../identity/write-entity.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountTables } from '../core/records.ts'
import { aliasesOf, entityIn, newAlias } from './finding.ts'
import { aliases, entities, groups } from './records.ts'
import { groupsOf } from './resolved.ts'

/** Aliases deleted per commit: each is up to five keys. */
const forgottenAtOnce = 10

/** Updates the members of the external groups of a mount to the groups of a login. */
function joinGroups(
  tx: Tx,
  namespace: string,
  accessor: string,
  entityId: string,
  names: readonly string[],
  now: number,
): void {
  for (const { value } of aliases.list(tx.now, namespace)) {
    const { alias } = value
    if (alias.kind !== 'group' || alias.mountAccessor !== accessor) continue
    const group = tx.get(groups, namespace, alias.of)?.value.group
    const isIn = group?.memberEntityIds.includes(entityId) ?? false
    const shouldBe = names.some((name) => name.toLowerCase() === alias.name.toLowerCase())
    if (group === undefined || isIn === shouldBe) continue
    const others = group.memberEntityIds.filter((id) => id !== entityId)
    const memberEntityIds = shouldBe ? [...others, entityId].sort() : others
    tx.put(groups, { namespace, group: { ...group, memberEntityIds, updatedAt: now } })
  }
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
  const now = await core.fresh()
  const found = aliases.find(now, 'name', ns, 'entity', mount.accessor, name)?.value.alias
  const hasGroups = groupsOf(core, now, ns).some(({ type }) => type === 'external')
  if (found && !hasGroups)
    return {
      namespace: ns,
      id: found.of,
      isDisabled: entities.get(now, ns, found.of)?.value.entity.disabled ?? false,
    }
  const drawn = core.randomText(8).toLowerCase()
  return unwrap(
    await core.commit((tx, env) => {
      const mounts = tx.get(mountTables, ns)?.value.table.mounts ?? {}
      // The mount or its namespace was deleted meanwhile: the records would be unreachable.
      if (!Object.values(mounts).some(({ id }) => id === mount.id)) return done(undefined)
      const again = tx.find(aliases, 'name', ns, 'entity', mount.accessor, name)?.value.alias
      let id = again?.of
      if (id === undefined) {
        const made = writeEntity(undefined, { name: `entity_${drawn}` }, env)
        // The generated name counts as no description.
        if (!made.ok || tx.find(entities, 'name', ns, made.state.name)) return done(undefined)
        id = made.state.id
        tx.put(entities, { namespace: ns, entity: made.state })
        tx.put(aliases, {
          namespace: ns,
          alias: newAlias(env.newId('alias'), id, mount.accessor, name, env.now),
        })
      }
      if (hasGroups) joinGroups(tx, ns, mount.accessor, id, groupNames, env.now)
      return done({ namespace: ns, id, isDisabled: entityIn(tx, ns, { id })?.disabled ?? false })
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
