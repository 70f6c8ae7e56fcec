import type { Answer } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import type { Tx } from '../../../store/index.ts'
import type { IdentityAlias } from '../../identity/model.ts'
import { writeEntity } from '../../identity/write-entity.ts'
import { writeGroup } from '../../identity/write-group.ts'
import { found } from '../core/answer.ts'
import type { Within } from '../core/context.ts'
import { done } from '../core/decision.ts'
import { mountsIn } from '../core/find-mounts.ts'
import { goneWith } from '../core/namespaces.ts'
import { type AliasKind, aliasesOf, entityIn, groupIn, invalid, newAlias } from './finding.ts'
import { aliases, entities, groups } from './records.ts'

const refuses = ['identity_invalid'] as const

/** The fields of a write of an alias. */
export interface AliasInput {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly mountAccessor?: string | undefined
  /** The entity or group; without one the alias gets a new entity, or a new external group. */
  readonly of?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** The operations on aliases. */
export const aliasOperations = {
  /** Creates or changes an alias. */
  write: routeOperation({
    refuses,
    run: async ({ core, namespace }: Within, kind: AliasKind, input: AliasInput) => {
      const mounts = await mountsIn(core, namespace, 'auth')
      return core.commit<IdentityAlias, 'identity_invalid'>((tx, env) => {
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
        // The alias of an entity can be written again without its identifier, that of a group cannot.
        if (holder && holder.id !== byId?.id && kind === 'group')
          return invalid('combination of mount and group alias name is already in use')
        if (byId && holder && holder.id !== byId.id)
          return invalid('alias with combination of mount accessor and name already exists')
        const before = byId ?? holder
        const of = aliasOwner(tx, ns, env, kind, input.of || before?.of)
        if (isRefused(of)) return of
        const made = newAlias(env.newId('alias'), of.id, accessor, name, env.now, kind)
        const alias: IdentityAlias = {
          ...made,
          ...(before ? { id: before.id, createdAt: before.createdAt } : {}),
          metadata: { ...(input.metadata ?? before?.metadata) },
        }
        if (before) tx.delete(aliases, ns, before.of, before.id)
        // A group has one alias: a new one replaces it.
        if (kind === 'group')
          for (const { id } of aliasesOf(tx.now, ns, of.id))
            if (id !== before?.id) tx.delete(aliases, ns, of.id, id)
        tx.put(aliases, { namespace: ns, alias })
        return done(alias)
      })
    },
  }),
  delete: routeOperation({
    refuses: [],
    run: ({ core, namespace }: Within, id: string): Promise<Answer<boolean>> =>
      core.commit<boolean, never>((tx) => {
        const alias = tx.find(aliases, 'id', namespace.id, id)?.value.alias
        return done(alias !== undefined && tx.delete(aliases, namespace.id, alias.of, alias.id))
      }),
  }),
  list: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, kind: AliasKind) =>
      found(
        aliases
          .list(await core.fresh(), namespace.id)
          .map(({ value }) => value.alias)
          .filter((alias) => alias.kind === kind),
      ),
  }),
  read: routeOperation({
    refuses: [],
    run: async ({ core, namespace }: Within, id: string) =>
      found(aliases.find(await core.fresh(), 'id', namespace.id, id)?.value.alias),
  }),
}

/** The alias of a name at an auth mount. */
export const findAlias = async (
  { core, namespace }: Within,
  kind: AliasKind,
  accessor: string,
  name: string,
): Promise<IdentityAlias | undefined> =>
  aliases.find(await core.fresh(), 'name', namespace.id, kind, accessor, name)?.value.alias

function aliasOwner(
  tx: Tx,
  ns: string,
  env: { readonly now: number; readonly newId: (kind: string) => string },
  kind: AliasKind,
  id: string | undefined,
) {
  if (kind === 'group') {
    if (id === undefined) {
      const made = writeGroup(undefined, { type: 'external' }, env, {
        entityExists: () => false,
        find: () => undefined,
      })
      if (!made.ok) return made
      tx.put(groups, { namespace: ns, group: made.state })
      return { id: made.state.id }
    }
    const group = groupIn(tx, ns, { id })
    if (group === undefined) return invalid('invalid group ID given in canonical_id')
    return group.type === 'external' ? { id: group.id } : invalid('alias can only be set on external groups')
  }
  if (id !== undefined)
    return entityIn(tx, ns, { id }) ? { id } : invalid('invalid entity ID given in canonical_id')
  const entity = writeEntity(undefined, {}, env)
  if (!entity.ok) return entity
  tx.put(entities, { namespace: ns, entity: entity.state })
  return { id: entity.state.id }
}
