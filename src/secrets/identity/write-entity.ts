import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { normalisePolicies } from '../acl/policy-names.ts'
import { nameProblem } from '../name-length.ts'
import type { Entity, IdentityEvent } from './model.ts'

/** The fields of a write to an entity; omitted fields stay unchanged. */
export interface EntityInput {
  readonly name?: string | undefined
  readonly policies?: readonly string[] | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly disabled?: boolean | undefined
}

/** Creates or changes an entity; one without a name is named after its identifier. */
export function writeEntity(
  entity: Entity | undefined,
  input: EntityInput,
  env: Env,
): Outcome<Entity, Entity, IdentityEvent, 'identity_invalid'> {
  checkInput(input, {}, { name: '', policies: {}, metadata: {}, disabled: false }, env)
  const id = entity?.id ?? env.newId('entity')
  const name = input.name ?? entity?.name ?? `entity_${id}`
  const wrong = nameProblem('entity name', name)
  if (wrong !== undefined) return refuse('identity_invalid', wrong)
  const policies = identityPolicies(input.policies ?? entity?.policies ?? [])
  if ('ok' in policies) return policies
  const next: Entity = {
    id,
    name,
    policies: [...policies.value],
    metadata: { ...(input.metadata ?? entity?.metadata) },
    disabled: input.disabled ?? entity?.disabled ?? false,
    createdAt: entity?.createdAt ?? env.now,
    updatedAt: env.now,
  }
  return { ok: true, state: next, value: next, events: [{ type: 'identity.entity_written', entity: id }] }
}

/** Policies that an identity may grant: never `root`. */
export function identityPolicies(
  names: readonly string[],
): { readonly value: readonly string[] } | Refused<'identity_invalid'> {
  const policies = normalisePolicies(names)
  return policies.includes('root')
    ? refuse('identity_invalid', 'policies cannot contain root')
    : { value: policies }
}
