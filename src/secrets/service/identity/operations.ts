import { type Answer, unwrap } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { Tx } from '../../../store/index.ts'
import type { Entity, IdentityGroup } from '../../identity/model.ts'
import { type EntityInput, writeEntity } from '../../identity/write-entity.ts'
import { type GroupInput, writeGroup } from '../../identity/write-group.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { done, tells } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { aliasesOf, entityIn, groupIn, type IdentityName, invalid } from './finding.ts'
import { aliases, entities, groups } from './records.ts'
import { groupsOf, resolveEntity } from './resolved.ts'

const refuses = ['identity_invalid'] as const

/** The writes of entities and groups, and the reads of all. */
export const identityOperations = {
  /** Creates or changes an entity; an unknown name creates one, an unknown identifier is refused. */
  writeEntity: routeOperation({
    refuses,
    run: ({ core, namespace }: Within, by: IdentityName | undefined, input: EntityInput) =>
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
  }),
  deleteEntity: routeOperation({ refuses: [], run: (at: Within, by: IdentityName) => deleteEntity(at, by) }),
  deleteEntities: routeOperation({
    refuses: [],
    run: async (at: Within, ids: readonly string[]) => {
      for (const id of ids) unwrap(await deleteEntity(at, { id }))
      return found(undefined)
    },
  }),
  /** Moves the aliases and memberships of some entities to another one, and deletes them. */
  mergeEntities: routeOperation({
    refuses,
    run: ({ core, namespace }: Within, from: readonly string[], to: string) =>
      core.commit<undefined, 'identity_invalid'>((tx, env) => {
        if (to === '') return invalid('missing entity id to merge to')
        if (from.length === 0) return invalid('missing entity ids to merge from')
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
  }),
  writeGroup: routeOperation({
    refuses,
    run: ({ core, namespace }: Within, by: IdentityName | undefined, input: GroupInput) =>
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
  }),
  deleteGroup: routeOperation({
    refuses: [],
    run: ({ core, namespace }: Within, by: IdentityName): Promise<Answer<boolean>> =>
      core.commit<boolean, never>((tx) => {
        const ns = namespace.id
        const group = groupIn(tx, ns, by)
        if (group === undefined) return done(false)
        tx.delete(groups, ns, group.id)
        for (const alias of aliasesOf(tx.now, ns, group.id)) tx.delete(aliases, ns, group.id, alias.id)
        return tells(true, { namespace: namespace.path, type: 'identity.group_deleted', group: group.id })
      }),
  }),
  entities: routeOperation({
    refuses: [],
    run: async (at: Within) => found(await entitiesOf(at)),
  }),
  groups: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within) => found(groupsOf(core, await core.fresh(), namespace.id)),
  }),
  readEntity: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, name: IdentityName) => {
      const now = await core.fresh()
      const stored =
        'id' in name
          ? entities.get(now, namespace.id, name.id)
          : entities.find(now, 'name', namespace.id, name.name)
      return found(stored && resolveEntity(core, now, namespace.id, stored.value.entity))
    },
  }),
  readGroup: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, name: IdentityName) => {
      const now = await core.fresh()
      const stored =
        'id' in name
          ? groups.get(now, namespace.id, name.id)
          : groups.find(now, 'name', namespace.id, name.name)
      if (stored === undefined) return found(undefined)
      const { group } = stored.value
      const parents = groupsOf(core, now, namespace.id).filter(({ memberGroupIds }) =>
        memberGroupIds.includes(group.id),
      )
      return found({
        group,
        alias: aliasesOf(now, namespace.id, group.id)[0],
        parentGroupIds: parents.map(({ id }) => id),
      })
    },
  }),
}

/** The entities of a namespace. */
export const entitiesOf = async ({ core, namespace }: Within): Promise<readonly Entity[]> =>
  entities.list(await core.fresh(), namespace.id).map(({ value }) => value.entity)

/** Deletes an entity with its aliases and memberships; a missing one is not an error. */
const deleteEntity = ({ core, namespace }: Within, by: IdentityName): Promise<Answer<boolean>> =>
  core.commit<boolean, never>((tx, env) => {
    const ns = namespace.id
    const entity = entityIn(tx, ns, by)
    if (entity === undefined) return done(false)
    tx.delete(entities, ns, entity.id)
    for (const alias of aliasesOf(tx.now, ns, entity.id)) tx.delete(aliases, ns, entity.id, alias.id)
    for (const { value } of groups.list(tx.now, ns)) leaveGroup(tx, ns, value.group, entity.id, env.now)
    return tells(true, { namespace: namespace.path, type: 'identity.entity_deleted', entity: entity.id })
  })

function leaveGroup(tx: Tx, namespace: string, { id }: IdentityGroup, entityId: string, now: number): void {
  const group = tx.get(groups, namespace, id)?.value.group
  if (!group?.memberEntityIds.includes(entityId)) return
  const memberEntityIds = group.memberEntityIds.filter((member) => member !== entityId)
  tx.put(groups, { namespace, group: { ...group, memberEntityIds, updatedAt: now } })
}

/** The fields of an input that are given. */
const defined = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input
