import { type Answer, unwrap } from '../../../kernel/index.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { Tx } from '../../../store/index.ts'
import type { Entity, IdentityGroup } from '../../identity/model.ts'
import { type EntityInput, writeEntity } from '../../identity/write-entity.ts'
import { type GroupInput, writeGroup } from '../../identity/write-group.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { done, tells } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { aliasesOf, entityIn, groupIn, type IdentityName, invalid, storedAs } from './finding.ts'
import { aliases, entities, groups, groupsAtOnce } from './records.ts'
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
      for (const id of ids) {
        await nextMacrotask()
        unwrap(await deleteEntity(at, { id }))
      }
      return found(undefined)
    },
  }),
  /** Moves the aliases and memberships of some entities to another one, and deletes them. */
  mergeEntities: routeOperation({
    refuses,
    run: async (at: Within, from: readonly string[], to: string) => {
      if (to === '') return invalid('missing entity id to merge to')
      if (from.length === 0) return invalid('missing entity ids to merge from')
      const now = await at.core.fresh()
      const exists = (id: string) => entities.get(now, at.namespace.id, id) !== undefined
      if (!exists(to)) return invalid('entity id to merge to is invalid')
      const wrong = from.find((id) => id === to || !exists(id))
      if (wrong !== undefined) return invalid(`entity id to merge from is invalid: ${JSON.stringify(wrong)}`)
      for (const id of new Set(from)) {
        await nextMacrotask()
        const moved = await dissolve(at, { id }, to)
        if (!moved.ok) return moved
      }
      return found(undefined)
    },
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
          if (by && 'id' in by && before === undefined) return invalid('invalid group ID')
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
      const stored = storedAs(entities, now, namespace.id, name)
      return found(stored && resolveEntity(core, now, namespace.id, stored.value.entity))
    },
  }),
  readGroup: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, name: IdentityName) => {
      const now = await core.fresh()
      const stored = storedAs(groups, now, namespace.id, name)
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
const deleteEntity = async (at: Within, by: IdentityName): Promise<Answer<boolean>> =>
  found(unwrap(await dissolve(at, by, undefined)))

/** How many aliases of an entity one commit moves beside {@link groupsAtOnce} groups. */
const aliasesAtOnce = 8

/**
 * Deletes an entity, and moves its aliases and memberships to another one, or deletes them, too. In several commits if
 * they are many: the entity itself ends with the last, so an interrupted call can be repeated.
 */
async function dissolve(
  { core, namespace }: Within,
  by: IdentityName,
  into: string | undefined,
): Promise<Answer<boolean, 'identity_invalid'>> {
  const ns = namespace.id
  for (;;) {
    const step = await core.commit<'more' | boolean, 'identity_invalid'>((tx, env) => {
      const entity = entityIn(tx, ns, by)
      if (entity === undefined) return done(false)
      if (into !== undefined && !entityIn(tx, ns, { id: into }))
        return invalid('entity id to merge to is invalid')
      const { id } = entity
      const names = aliasesOf(tx.now, ns, id)
      for (const alias of names.slice(0, aliasesAtOnce)) {
        tx.delete(aliases, ns, id, alias.id)
        if (into !== undefined)
          tx.put(aliases, { namespace: ns, alias: { ...alias, of: into, updatedAt: env.now } })
      }
      const memberships = groupsOf(core, tx.now, ns).filter(({ memberEntityIds }) =>
        memberEntityIds.includes(id),
      )
      for (const group of memberships.slice(0, groupsAtOnce))
        replaceMember(tx, ns, group.id, id, into, env.now)
      if (names.length > aliasesAtOnce || memberships.length > groupsAtOnce) return done('more')
      tx.delete(entities, ns, id)
      return tells(true, { namespace: namespace.path, type: 'identity.entity_deleted', entity: id })
    })
    if (!step.ok) return step
    if (step.value !== 'more') return found(step.value)
    await nextMacrotask()
  }
}

function replaceMember(
  tx: Tx,
  namespace: string,
  groupId: string,
  id: string,
  by: string | undefined,
  now: number,
): void {
  const group = tx.get(groups, namespace, groupId)?.value.group
  if (!group?.memberEntityIds.includes(id)) return
  const others = group.memberEntityIds.filter((member) => member !== id)
  const memberEntityIds = by === undefined ? others : [...new Set([...others, by])].sort()
  tx.put(groups, { namespace, group: { ...group, memberEntityIds, updatedAt: now } })
}

/** The fields of an input that are given. */
const defined = <Input extends object>(input: Input): Input =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Input
