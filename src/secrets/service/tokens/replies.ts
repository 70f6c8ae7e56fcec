import * as z from 'zod'
import type { TokenRole } from '../../tokens/index.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { orNull, viewOf } from '../core/view.ts'

/** Documentation of the answers, which `wire.ts` builds. */

const text = z.string()
const texts = z.array(text)

export const LookupReply = enveloped(
  z.object({
    accessor: text,
    creation_time: z.int(),
    creation_ttl: z.int(),
    display_name: text,
    entity_id: text,
    expire_time: text.nullable(),
    explicit_max_ttl: z.int(),
    id: text,
    meta: z.record(text, text).nullable(),
    num_uses: z.int(),
    orphan: z.boolean(),
    path: text,
    policies: texts,
    ttl: z.int(),
    type: z.enum(['service', 'batch']),
    issue_time: text.optional(),
    renewable: z.boolean().optional(),
    last_renewal: text.optional(),
    last_renewal_time: z.int().optional(),
    period: z.int().optional(),
    role: text.optional(),
    bound_cidrs: texts.optional(),
    namespace_path: text.optional(),
  }),
).meta({ id: 'TokenLookup' })

export const roleView = viewOf<TokenRole>()({
  allowed_entity_aliases: [texts.nullable(), (role) => orNull(role.allowedEntityAliases)],
  allowed_policies: [texts, (role) => role.allowedPolicies],
  allowed_policies_glob: [texts, (role) => role.allowedPoliciesGlob],
  disallowed_policies: [texts, (role) => role.disallowedPolicies],
  disallowed_policies_glob: [texts, (role) => role.disallowedPoliciesGlob],
  explicit_max_ttl: [z.int(), (role) => role.explicitMaxTtlSeconds],
  name: [text, (role) => role.name],
  orphan: [z.boolean(), (role) => role.orphan],
  path_suffix: [text, (role) => role.pathSuffix],
  period: [z.int(), (role) => role.periodSeconds],
  renewable: [z.boolean(), (role) => role.renewable],
  token_bound_cidrs: [texts.optional(), (role) => orNull(role.boundCidrs) ?? undefined],
  token_explicit_max_ttl: [z.int(), (role) => role.explicitMaxTtlSeconds],
  token_no_default_policy: [z.boolean(), (role) => role.noDefaultPolicy],
  token_num_uses: [z.int().optional(), (role) => role.numUses || undefined],
  token_period: [z.int(), (role) => role.periodSeconds],
  token_type: [text, (role) => role.tokenType],
})
export const RoleReply = enveloped(z.object(roleView.shape))

export const TokenQuery = z.object({
  token: text.optional().describe('the token; the calling one by default'),
})
