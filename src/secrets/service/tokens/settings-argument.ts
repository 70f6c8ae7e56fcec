import * as z from 'zod'
import { tokenTypes } from '../../tokens/token-settings.ts'
import { seconds, texts } from '../core/arguments.ts'

/** The token settings of an auth method as arguments: omitted fields stay unchanged. */
export const tokenSettings = z
  .strictObject({
    ttlSeconds: seconds,
    maxTtlSeconds: seconds,
    explicitMaxTtlSeconds: seconds,
    periodSeconds: seconds,
    policies: texts,
    boundCidrs: texts,
    noDefaultPolicy: z.boolean(),
    numUses: z.int(),
    type: z.enum(tokenTypes),
  })
  .partial()
