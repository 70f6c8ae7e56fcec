import { collection, prefixOf } from '../../../store/index.ts'
import type { Entity, IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import type { Concept } from '../core/core.ts'

/** Entities by namespace and identifier. */
export const entities = collection<{ readonly namespace: string; readonly entity: Entity }>({
  name: 'identityentity',
  key: ({ namespace, entity }) => [namespace, entity.id],
  unique: { name: ({ namespace, entity }) => [namespace, entity.name] },
  scopes: () => [],
})

/** Names of entities and external groups at auth mounts. */
export const aliases = collection<{ readonly namespace: string; readonly alias: IdentityAlias }>({
  name: 'identityalias',
  // Together with the other names of the same entity or group.
  key: ({ namespace, alias }) => [namespace, alias.of, alias.id],
  unique: {
    id: ({ namespace, alias }) => [namespace, alias.id],
    name: ({ namespace, alias }) => [namespace, alias.kind, alias.mountAccessor, alias.name],
  },
  scopes: () => [],
})

/** Groups by namespace and identifier. Their mark rises with every change, and validates cached memberships. */
export const groups = collection<{ readonly namespace: string; readonly group: IdentityGroup }>({
  name: 'identitygroup',
  key: ({ namespace, group }) => [namespace, group.id],
  unique: { name: ({ namespace, group }) => [namespace, group.name] },
})

/** How many groups one commit writes: all with their keys are within its limit. */
export const groupsAtOnce = 20

const held = [entities, aliases, groups]

export const identity: Concept = {
  held,
  // With their indexes by name.
  ofNamespace: (id) => [
    ...held.flatMap(({ name }) => [prefixOf(name, id), prefixOf(`${name}!name`, id)]),
    prefixOf(`${aliases.name}!id`, id),
  ],
}
