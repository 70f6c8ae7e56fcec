import * as z from 'zod'
import { enveloped } from '../reply-shapes.ts'

/** Documentation of what is answered; `wire.ts` makes it. */

const texts = z.array(z.string())

/** The configuration; each word for the method has its own `bypass_…_mfa`. */
export const ConfigReply = enveloped(
  z
    .object({
      base_url: z.string(),
      org_name: z.string(),
      token_bound_cidrs: texts,
      token_explicit_max_ttl: z.int(),
      token_max_ttl: z.int(),
      token_no_default_policy: z.boolean(),
      token_num_uses: z.int(),
      token_period: z.int(),
      token_policies: texts,
      token_ttl: z.int(),
      token_type: z.string(),
      bypass_idp_mfa: z.boolean().optional(),
    })
    .catchall(z.boolean()),
)
export const UserReply = enveloped(z.object({ groups: texts, policies: texts }))
export const GroupReply = enveloped(z.object({ policies: texts }))
export const NumberReply = enveloped(z.object({ correct_answer: z.int() }))
