import * as z from 'zod'
import type { Reply } from '../../../http/index.ts'
import type { Token, TokenView } from '../../tokens/index.ts'
import { answerWith, type SecretsContext } from '../core/context.ts'
import {
  body,
  booleanField,
  integerField,
  lifetimeField,
  listField,
  pairsField,
  secondsField,
  signedSecondsField,
  textField,
} from '../core/fields.ts'
import { timeText } from '../core/time-text.ts'
import type { Issued } from './issuing.ts'

/** Policy names in a list; a single string is one name, including commas. */
const NamesField = z.preprocess(
  (value) => (value === null ? undefined : typeof value === 'string' ? (value === '' ? [] : [value]) : value),
  z
    .unknown()
    .meta({ type: 'array', items: { type: 'string' } })
    .transform((value, context): readonly string[] => {
      if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
      context.addIssue({ code: 'custom', message: 'expected a list of strings' })
      return z.NEVER
    })
    .optional(),
)

export const CreateBody = body({
  id: textField,
  policies: NamesField,
  meta: pairsField,
  no_parent: booleanField,
  no_default_policy: booleanField,
  renewable: booleanField,
  lease: lifetimeField,
  ttl: lifetimeField,
  type: textField,
  explicit_max_ttl: lifetimeField,
  display_name: textField,
  num_uses: integerField,
  period: lifetimeField,
  entity_alias: textField,
})

export const NameBody = body({ token: textField, accessor: textField, increment: signedSecondsField })

export const RoleBody = body({
  allowed_policies: listField,
  disallowed_policies: listField,
  allowed_policies_glob: listField,
  disallowed_policies_glob: listField,
  allowed_entity_aliases: listField,
  orphan: booleanField,
  renewable: booleanField,
  path_suffix: textField,
  period: secondsField,
  explicit_max_ttl: secondsField,
  bound_cidrs: listField,
  token_bound_cidrs: listField,
  token_explicit_max_ttl: secondsField,
  token_no_default_policy: booleanField,
  token_num_uses: integerField,
  token_period: secondsField,
  token_type: z
    .enum(['default-service', 'default-batch', 'service', 'batch', 'default', ''], {
      error: "invalid 'token_type' value",
    })
    .nullish()
    .transform((type) => (type === 'default' || type === '' ? 'default-service' : (type ?? undefined))),
})

/** The answer of a look-up; `id` is the text, if the caller sent it. */
export function tokenWire(view: TokenView, id: string): Readonly<Record<string, unknown>> {
  const wire: Record<string, unknown> = {
    accessor: view.accessor,
    creation_time: Math.floor(view.createdAt / 1000),
    creation_ttl: view.creationTtlSeconds,
    display_name: view.displayName,
    entity_id: view.entity?.id ?? '',
    expire_time: view.expiresAt === null ? null : timeText(view.expiresAt),
    explicit_max_ttl: view.explicitMaxTtlSeconds,
    id,
    meta: view.meta,
    num_uses: view.numUses,
    orphan: view.orphan,
    path: view.path,
    policies: view.policies,
    ttl: view.ttlSeconds,
    type: view.type,
  }
  if (view.leased) {
    wire['issue_time'] = timeText(view.createdAt)
    wire['renewable'] = view.renewable
  }
  if (view.lastRenewedAt !== null) {
    wire['last_renewal'] = timeText(view.lastRenewedAt)
    wire['last_renewal_time'] = Math.floor(view.lastRenewedAt / 1000)
  }
  if (view.periodSeconds > 0) wire['period'] = view.periodSeconds
  if (view.role !== null) wire['role'] = view.role
  if (view.boundCidrs.length > 0) wire['bound_cidrs'] = view.boundCidrs
  if (view.namespace !== '') wire['namespace_path'] = view.namespace
  return wire
}

/** The auth block of an answer with a new or renewed token. */
export const authWire = (token: Token, text: string, ttlSeconds = token.ttlSeconds) => ({
  client_token: text,
  accessor: token.accessor,
  policies: token.policies,
  token_policies: token.policies,
  metadata: token.meta,
  lease_duration: ttlSeconds,
  renewable: token.renewable,
  entity_id: token.entity?.id ?? '',
  token_type: token.type,
  orphan: token.parent === null,
  mfa_requirement: null,
  num_uses: token.numUses,
})

/** Shows a new token. */
export const asLogin = (
  { token, text, warnings }: Issued,
  { context }: { readonly context: SecretsContext },
): Reply => answerWith(context, { auth: authWire(token, text), warnings })
