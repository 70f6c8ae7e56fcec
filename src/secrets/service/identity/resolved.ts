import type { Snapshot } from '../../../store/index.ts'
import type { Entity, IdentityGroup } from '../../identity/model.ts'
import { type Identity, identityOf } from '../../identity/resolve.ts'
import type { Token } from '../../tokens/index.ts'
import { type Core, stateOf } from '../core/core.ts'
import { aliasesOf } from './finding.ts'
import { aliases, entities, groups } from './records.ts'

/** The mark that every change of a group raises. */
const anyGroup = groups.markOf()

/** The groups of a namespace, cached until any group changes. */
const knownGroups = stateOf(() => ({ known: new Map<string, readonly IdentityGroup[]>(), seen: -1 }))

export function groupsOf(core: Core, now: Snapshot, namespace: string): readonly IdentityGroup[] {
  const state = knownGroups(core)
  const changed = now.get(anyGroup)?.modified ?? 0
  if (changed !== state.seen) state.known.clear()
  state.seen = changed
  const found = state.known.get(namespace) ?? groups.list(now, namespace).map(({ value }) => value.group)
  state.known.set(namespace, found)
  return found
}

export const resolveEntity = (core: Core, now: Snapshot, namespace: string, entity: Entity): Identity =>
  identityOf(entity, aliasesOf(now, namespace, entity.id), groupsOf(core, now, namespace))

/**
 * The grants of a token's entity in addition to the token's own policies; `refused` if the entity is disabled or deleted.
 */
export function identityOfToken(
  core: Core,
  now: Snapshot,
  ref: NonNullable<Token['entity']>,
): { readonly identity: Identity; readonly version: string } | 'refused' {
  const stored = entities.get(now, ref.namespace, ref.id)
  if (stored === undefined || stored.value.entity.disabled) return 'refused'
  const identity = resolveEntity(core, now, ref.namespace, stored.value.entity)
  const alias = aliases
    .list(now, ref.namespace, ref.id)
    .reduce((last, { modified }) => Math.max(last, modified), 0)
  return {
    identity,
    version: `${ref.id} ${stored.modified} ${now.get(anyGroup)?.modified ?? 0} ${alias}`,
  }
}
