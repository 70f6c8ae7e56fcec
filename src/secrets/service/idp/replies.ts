import * as z from 'zod'
import { enveloped } from '../core/reply-shapes.ts'
import { tokenSettingsShape } from '../tokens/settings-wire.ts'

/** Documentation of the answers, which `wire.ts` builds. */

const texts = z.array(z.string())

/** The configuration; each word for the method has its own `bypass_…_mfa`. */
export const ConfigReply = enveloped(
  z
    .object({
      base_url: z.string(),
      org_name: z.string(),
      ...tokenSettingsShape,
      bypass_idp_mfa: z.boolean().optional(),
    })
    .catchall(z.boolean()),
)
export const UserReply = enveloped(z.object({ groups: texts, policies: texts }))
export const GroupReply = enveloped(z.object({ policies: texts }))
export const NumberReply = enveloped(z.object({ correct_answer: z.int() }))
