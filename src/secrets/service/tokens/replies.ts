import * as z from 'zod'
import { enveloped } from '../core/reply-shapes.ts'

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

export const RoleReply = enveloped(
  z.object({
    allowed_entity_aliases: texts,
    allowed_policies: texts,
    allowed_policies_glob: texts,
    disallowed_policies: texts,
    disallowed_policies_glob: texts,
    explicit_max_ttl: z.int(),
    name: text,
    orphan: z.boolean(),
    path_suffix: text,
    period: z.int(),
    renewable: z.boolean(),
    token_bound_cidrs: texts,
    token_explicit_max_ttl: z.int(),
    token_no_default_policy: z.boolean(),
    token_num_uses: z.int(),
    token_period: z.int(),
    token_type: text,
  }),
)

export const TokenQuery = z.object({
  token: text.optional().describe('the token; the calling one by default'),
})
