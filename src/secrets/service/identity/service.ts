import { unwrap } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { Entity, IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import { type Identity, identityOf } from '../../identity/resolve.ts'
import { writeEntity } from '../../identity/write-entity.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Token } from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { mountTables } from '../core/records.ts'
import { aliasWrites } from './alias-writes.ts'
import { type AliasKind, aliasesOf, entityIn, type IdentityName, newAlias } from './finding.ts'
import { memberWrites } from './member-writes.ts'
import { aliases, entities, groups } from './records.ts'

/** Entities, aliases and groups of a service. */
export type IdentityService = ReturnType<typeof identityService>

/** Aliases deleted per commit: each is up to five keys. */
const forgottenAtOnce = 10

/** The mark that every change of a group raises. */
const anyGroup = groups.markOf()

export function identityService(core: Core) {
  /** The groups of a namespace, cached until any group changes. */
  const known = new Map<string, readonly IdentityGroup[]>()
  let seen = -1
  const groupsOf = (now: Snapshot, namespace: string): readonly IdentityGroup[] => {
    const changed = now.get(anyGroup)?.modified ?? 0
    if (changed !== seen) known.clear()
    seen = changed
    const found = known.get(namespace) ?? groups.list(now, namespace).map(({ value }) => value.group)
    known.set(namespace, found)
    return found
  }

  const resolve = (now: Snapshot, namespace: string, entity: Entity): Identity =>
    identityOf(entity, aliasesOf(now, namespace, entity.id), groupsOf(now, namespace))

  /** Updates the members of the external groups of a mount to the groups of a login. */
  const joinGroups = (
    tx: Tx,
    namespace: string,
    accessor: string,
    entityId: string,
    names: readonly string[],
    now: number,
  ) => {
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
  const isAlone = (now: Snapshot, namespace: string, { id }: Entity, alias: IdentityAlias): boolean =>
    aliasesOf(now, namespace, id).every((other) => other.id === alias.id) &&
    !groupsOf(now, namespace).some(({ memberEntityIds }) => memberEntityIds.includes(id))

  return {
    /**
     * The grants of a token in addition to its own policies: `undefined` for tokens without an entity, `refused` if the
     * entity is disabled or deleted.
     */
    of: (
      now: Snapshot,
      { entity: ref }: Token,
    ): { readonly identity: Identity; readonly version: string } | 'refused' | undefined => {
      if (ref === undefined) return undefined
      const stored = entities.get(now, ref.namespace, ref.id)
      if (stored === undefined || stored.value.entity.disabled) return 'refused'
      const identity = resolve(now, ref.namespace, stored.value.entity)
      const alias = aliases
        .list(now, ref.namespace, ref.id)
        .reduce((last, { modified }) => Math.max(last, modified), 0)
      return {
        identity,
        version: `${ref.id} ${stored.modified} ${now.get(anyGroup)?.modified ?? 0} ${alias}`,
      }
    },
    resolve,
    /** Finds or creates the entity of a login, and updates its external groups. */
    admit: async (
      namespace: Namespace,
      mount: Mount,
      name: string,
      groupNames: readonly string[],
    ): Promise<
      { readonly namespace: string; readonly id: string; readonly isDisabled: boolean } | undefined
    > => {
      const ns = namespace.id
      const now = await core.fresh()
      const found = aliases.find(now, 'name', ns, 'entity', mount.accessor, name)?.value.alias
      const hasGroups = groupsOf(now, ns).some(({ type }) => type === 'external')
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
    },
    /** Deletes the aliases of a removed mount, and the entities that only its logins created and nothing describes. */
    forgetMount: async (namespace: Namespace, accessor: string): Promise<void> => {
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
            if (entity && isBare(entity) && isAlone(tx.now, ns, entity, alias))
              tx.delete(entities, ns, entity.id)
          }
          return done(undefined)
        })
    },
    entities: async (namespace: Namespace): Promise<readonly Entity[]> =>
      entities.list(await core.fresh(), namespace.id).map(({ value }) => value.entity),
    groups: async (namespace: Namespace): Promise<readonly IdentityGroup[]> =>
      groupsOf(await core.fresh(), namespace.id),
    aliases: async (namespace: Namespace, kind: AliasKind): Promise<readonly IdentityAlias[]> =>
      aliases
        .list(await core.fresh(), namespace.id)
        .map(({ value }) => value.alias)
        .filter((alias) => alias.kind === kind),
    readEntity: async (namespace: Namespace, name: IdentityName): Promise<Identity | undefined> => {
      const now = await core.fresh()
      const found =
        'id' in name
          ? entities.get(now, namespace.id, name.id)
          : entities.find(now, 'name', namespace.id, name.name)
      return found && resolve(now, namespace.id, found.value.entity)
    },
    readGroup: async (namespace: Namespace, name: IdentityName) => {
      const now = await core.fresh()
      const found =
        'id' in name
          ? groups.get(now, namespace.id, name.id)
          : groups.find(now, 'name', namespace.id, name.name)
      if (found === undefined) return undefined
      const { group } = found.value
      const parents = groupsOf(now, namespace.id).filter(({ memberGroupIds }) =>
        memberGroupIds.includes(group.id),
      )
      return {
        group,
        alias: aliasesOf(now, namespace.id, group.id)[0],
        parentGroupIds: parents.map(({ id }) => id),
      }
    },
    readAlias: async (namespace: Namespace, id: string): Promise<IdentityAlias | undefined> =>
      aliases.find(await core.fresh(), 'id', namespace.id, id)?.value.alias,
    findAlias: async (namespace: Namespace, kind: AliasKind, accessor: string, name: string) =>
      aliases.find(await core.fresh(), 'name', namespace.id, kind, accessor, name)?.value.alias,
    ...memberWrites(core),
    ...aliasWrites(core),
  }
}

/** Whether an entity was created by a login and never changed since. */
const isBare = ({ policies, metadata, disabled, createdAt, updatedAt }: Entity): boolean =>
  policies.length === 0 && Object.keys(metadata).length === 0 && !disabled && createdAt === updatedAt
