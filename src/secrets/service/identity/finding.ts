import { refuse } from '../../../kernel/index.ts'
import type { Collection, Snapshot, Tx } from '../../../store/index.ts'
import type { Entity, IdentityAlias, IdentityGroup } from '../../identity/model.ts'
import { aliases, entities, groups } from './records.ts'

/** How an entity or group is identified: by its identifier, or by its name. */
export type IdentityName = { readonly id: string } | { readonly name: string }

/** The kind of an alias's owner. */
export type AliasKind = IdentityAlias['kind']

export const invalid = (message: string) => refuse('identity_invalid', message)

export const entityIn = (tx: Tx, namespace: string, name: IdentityName): Entity | undefined =>
  'id' in name
    ? tx.get(entities, namespace, name.id)?.value.entity
    : tx.find(entities, 'name', namespace, name.name)?.value.entity

export const groupIn = (tx: Tx, namespace: string, name: IdentityName): IdentityGroup | undefined =>
  'id' in name
    ? tx.get(groups, namespace, name.id)?.value.group
    : tx.find(groups, 'name', namespace, name.name)?.value.group

/** A stored entity or group, outside of decisions. */
export const storedAs = <T>(records: Collection<T>, now: Snapshot, namespace: string, name: IdentityName) =>
  'id' in name ? records.get(now, namespace, name.id) : records.find(now, 'name', namespace, name.name)

/** The aliases of an entity or group. */
export const aliasesOf = (now: Snapshot, namespace: string, of: string): readonly IdentityAlias[] =>
  aliases.list(now, namespace, of).map(({ value }) => value.alias)

export const newAlias = (
  id: string,
  of: string,
  mountAccessor: string,
  name: string,
  now: number,
  kind: AliasKind = 'entity',
): IdentityAlias => ({ id, kind, of, mountAccessor, name, metadata: {}, createdAt: now, updatedAt: now })
