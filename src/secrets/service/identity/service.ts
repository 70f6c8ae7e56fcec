import { type Answer, refuse, unwrap } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import type { Entity, IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import { type Identity, identityOf } from '../../identity/resolve.ts'
import { type EntityInput, writeEntity } from '../../identity/write-entity.ts'
import { type GroupInput, writeGroup } from '../../identity/write-group.ts'
import type { Mount } from '../../mounts/index.ts'
import type { Token } from '../../tokens/index.ts'
import { type Core, isRefused, type Namespace } from '../core.ts'
import { done, tells } from '../decision.ts'
import { goneWith } from '../namespaces/records.ts'
import { mountTables } from '../records.ts'
import { aliases, entities, groups } from './records.ts'

/** How an entity or group is named: by its identifier, or by its name. */
export type IdentityName = { readonly id: string } | { readonly name: string }

/** What a write of an alias gives. */
export interface AliasInput {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly mountAccessor?: string | undefined
  /** The entity or group; without one an alias of an entity gets a new entity. */
  readonly of?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

type Kind = IdentityAlias['kind']

/** Entities, aliases and groups of a service. */
export type IdentityService = ReturnType<typeof identityService>

/** Names forgotten in one commit: each is up to five keys. */
const forgottenAtOnce = 10

/** The mark that every change of a group raises. */
const anyGroup = groups.markOf()

export function identityService(core: Core) {
  const invalid = (message: string) => refuse('identity_invalid', message)

  const entityIn = (tx: Tx, namespace: string, name: IdentityName): Entity | undefined =>
    'id' in name
      ? tx.get(entities, namespace, name.id)?.value.entity
      : tx.find(entities, 'name', namespace, name.name)?.value.entity
  const groupIn = (tx: Tx, namespace: string, name: IdentityName): IdentityGroup | undefined =>
    'id' in name
      ? tx.get(groups, namespace, name.id)?.value.group
      : tx.find(groups, 'name', namespace, name.name)?.value.group
  const aliasesOf = (now: Snapshot, namespace: string, of: string): readonly IdentityAlias[] =>
    aliases.list(now, namespace, of).map(({ value }) => value.alias)

  /** The groups of a namespace; read anew once any group has changed. */
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

  /** Makes the members of the external groups of a mount those that a login says. */
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

  /** Whether an alias is all that there is of an entity. */
  const isAlone = (now: Snapshot, namespace: string, { id }: Entity, alias: IdentityAlias): boolean =>
    aliasesOf(now, namespace, id).every((other) => other.id === alias.id) &&
    !groupsOf(now, namespace).some(({ memberEntityIds }) => memberEntityIds.includes(id))

  return {
    /**
     * What a token is granted beside its own policies: `undefined` for tokens of no entity, `refused` where the entity is
     * disabled or gone.
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
    /** Finds the entity of a login, or makes it, and brings its external groups up to date. */
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
          // It, or its namespace, went meanwhile: nothing would find what is kept now.
          if (!Object.values(mounts).some(({ id }) => id === mount.id)) return done(undefined)
          const again = tx.find(aliases, 'name', ns, 'entity', mount.accessor, name)?.value.alias
          let id = again?.of
          if (id === undefined) {
            const made = writeEntity(undefined, { name: `entity_${drawn}` }, env)
            // A name that was drawn is a name.
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
    /** Forgets the names at a mount that is gone, and the entities that logins made there and that were never described. */
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
    aliases: async (namespace: Namespace, kind: Kind): Promise<readonly IdentityAlias[]> =>
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
    findAlias: async (namespace: Namespace, kind: Kind, accessor: string, name: string) =>
      aliases.find(await core.fresh(), 'name', namespace.id, kind, accessor, name)?.value.alias,
    /** Creates or changes an entity; a name that none has makes one, an identifier that none has is refused. */
    writeEntity: (namespace: Namespace, by: IdentityName | undefined, input: EntityInput) =>
      core.commit<{ readonly entity: Entity; readonly isNew: boolean }, 'identity_invalid'>((tx, env) => {
        const ns = namespace.id
        const gone = goneWith(tx, namespace, 'identity_invalid')
        if (gone) return gone
        const before = by && entityIn(tx, ns, by)
        if (by && 'id' in by && before === undefined) return invalid('entity not found from id')
        const written = writeEntity(before, { ...(by && 'name' in by ? by : {}), ...defined(input) }, env)
        if (!written.ok) return written
        const holder = tx.find(entities, 'name', ns, written.state.name)?.value.entity
        if (holder && holder.id !== written.state.id) return invalid('entity name is already in use')
        tx.put(entities, { namespace: ns, entity: written.state })
        return core.happened(
          { ...written, value: { entity: written.state, isNew: before === undefined } },
          { namespace: namespace.path },
        )
      }),
    /** Deletes an entity with its aliases and memberships; one that is not there is no error. */
    deleteEntity: (namespace: Namespace, by: IdentityName): Promise<Answer<boolean>> =>
      core.commit<boolean, never>((tx, env) => {
        const ns = namespace.id
        const entity = entityIn(tx, ns, by)
        if (entity === undefined) return done(false)
        tx.delete(entities, ns, entity.id)
        for (const alias of aliasesOf(tx.now, ns, entity.id)) tx.delete(aliases, ns, entity.id, alias.id)
        for (const { value } of groups.list(tx.now, ns)) leaveGroup(tx, ns, value.group, entity.id, env.now)
        return tells(true, { namespace: namespace.path, type: 'identity.entity_deleted', entity: entity.id })
      }),
    /** Moves the aliases and memberships of some entities to another one, and deletes them. */
    mergeEntities: (namespace: Namespace, from: readonly string[], to: string) =>
      core.commit<undefined, 'identity_invalid'>((tx, env) => {
        const ns = namespace.id
        const target = entityIn(tx, ns, { id: to })
        if (target === undefined) return invalid('entity id to merge to is invalid')
        for (const id of from) {
          const source = entityIn(tx, ns, { id })
          if (source === undefined || id === to)
            return invalid(`entity id to merge from is invalid: ${JSON.stringify(id)}`)
          tx.delete(entities, ns, id)
          for (const alias of aliasesOf(tx.now, ns, id)) {
            tx.delete(aliases, ns, id, alias.id)
            tx.put(aliases, { namespace: ns, alias: { ...alias, of: to, updatedAt: env.now } })
          }
          for (const { value } of groups.list(tx.now, ns)) {
            const group = tx.get(groups, ns, value.group.id)?.value.group
            if (!group?.memberEntityIds.includes(id)) continue
            const memberEntityIds = [
              ...new Set(group.memberEntityIds.map((member) => (member === id ? to : member))),
            ].sort()
            tx.put(groups, { namespace: ns, group: { ...group, memberEntityIds, updatedAt: env.now } })
          }
        }
        return done(undefined)
      }),
    writeGroup: (namespace: Namespace, by: IdentityName | undefined, input: GroupInput) =>
      core.commit<{ readonly group: IdentityGroup; readonly isNew: boolean }, 'identity_invalid'>(
        (tx, env) => {
          const ns = namespace.id
          const gone = goneWith(tx, namespace, 'identity_invalid')
          if (gone) return gone
          const before = by && groupIn(tx, ns, by)
          if (by && 'id' in by && before === undefined) return invalid('group not found from id')
          const written = writeGroup(before, { ...(by && 'name' in by ? by : {}), ...defined(input) }, env, {
            entityExists: (id) => tx.get(entities, ns, id) !== undefined,
            find: (id) => tx.get(groups, ns, id)?.value.group,
          })
          if (!written.ok) return written
          const holder = tx.find(groups, 'name', ns, written.state.name)?.value.group
          if (holder && holder.id !== written.state.id) return invalid('group name is already in use')
          tx.put(groups, { namespace: ns, group: written.state })
          return core.happened(
            { ...written, value: { group: written.state, isNew: before === undefined } },
            { namespace: namespace.path },
          )
        },
      ),
    deleteGroup: (namespace: Namespace, by: IdentityName): Promise<Answer<boolean>> =>
      core.commit<boolean, never>((tx) => {
        const ns = namespace.id
        const group = groupIn(tx, ns, by)
        if (group === undefined) return done(false)
        tx.delete(groups, ns, group.id)
        for (const alias of aliasesOf(tx.now, ns, group.id)) tx.delete(aliases, ns, group.id, alias.id)
        return tells(true, { namespace: namespace.path, type: 'identity.group_deleted', group: group.id })
      }),
    /** Creates or changes an alias. */
    writeAlias: (namespace: Namespace, kind: Kind, input: AliasInput, mounts: readonly Mount[]) =>
      core.commit<IdentityAlias, 'identity_invalid'>((tx, env) => {
        const ns = namespace.id
        const gone = goneWith(tx, namespace, 'identity_invalid')
        if (gone) return gone
        const byId = input.id ? tx.find(aliases, 'id', ns, input.id)?.value.alias : undefined
        if (input.id && byId?.kind !== kind) return invalid('invalid alias id')
        const name = input.name ?? byId?.name ?? ''
        const accessor = input.mountAccessor ?? byId?.mountAccessor ?? ''
        if (name === '') return invalid('missing alias name')
        if (accessor === '') return invalid('missing mount_accessor')
        if (!mounts.some((mount) => mount.accessor === accessor))
          return invalid(`invalid mount accessor ${JSON.stringify(accessor)}`)
        const holder = tx.find(aliases, 'name', ns, kind, accessor, name)?.value.alias
        if (byId && holder && holder.id !== byId.id)
          return invalid('alias with combination of mount accessor and name already exists')
        const before = byId ?? holder
        const of = aliasOwner(tx, env, kind, input.of || before?.of)
        if (isRefused(of)) return of
        const made = newAlias(env.newId('alias'), of.id, accessor, name, env.now, kind)
        const alias: IdentityAlias = {
          ...made,
          ...(before ? { id: before.id, createdAt: before.createdAt } : {}),
          metadata: { ...(input.metadata ?? before?.metadata) },
        }
        if (before) tx.delete(aliases, ns, before.of, before.id)
        tx.put(aliases, { namespace: ns, alias })
        return done(alias)

        function aliasOwner(
          tx: Tx,
          env: { readonly now: number; readonly newId: (kind: string) => string },
          kind: Kind,
          id: string | undefined,
        ) {
          if (kind === 'group') {
            const group = id ? groupIn(tx, ns, { id }) : undefined
            if (group === undefined) return invalid('invalid group ID given in canonical_id')
            return group.type === 'external'
              ? { id: group.id }
              : invalid('alias can only be set on external groups')
          }
          if (id !== undefined)
            return entityIn(tx, ns, { id }) ? { id } : invalid('invalid entity ID given in canonical_id')
          const entity = writeEntity(undefined, {}, env)
          if (!entity.ok) return entity
          tx.put(entities, { namespace: ns, entity: entity.state })
          return { id: entity.state.id }
        }
      }),
    deleteAlias: (namespace: Namespace, id: string): Promise<Answer<boolean>> =>
      core.commit<boolean, never>((tx) => {
        const alias = tx.find(aliases, 'id', namespace.id, id)?.value.alias
        return done(alias !== undefined && tx.delete(aliases, namespace.id, alias.of, alias.id))
      }),
  }
}

const newAlias = (
  id: string,
  of: string,
  mountAccessor: string,
  name: string,
  now: number,
  kind: Kind = 'entity',
): IdentityAlias => ({ id, kind, of, mountAccessor, name, metadata: {}, createdAt: now, updatedAt: now })

function leaveGroup(tx: Tx, namespace: string, { id }: IdentityGroup, entityId: string, now: number): void {
  const group = tx.get(groups, namespace, id)?.value.group
  if (!group?.memberEntityIds.includes(entityId)) return
  const memberEntityIds = group.memberEntityIds.filter((member) => member !== entityId)
  tx.put(groups, { namespace, group: { ...group, memberEntityIds, updatedAt: now } })
}

/** The fields of an input that are given. */
const defined = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input

/** Whether a login made an entity, and nothing was said of it since. */
const isBare = ({ policies, metadata, disabled, createdAt, updatedAt }: Entity): boolean =>
  policies.length === 0 && Object.keys(metadata).length === 0 && !disabled && createdAt === updatedAt
