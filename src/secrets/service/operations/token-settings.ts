import * as z from 'zod'
import { tokenTypes } from '../../tokens/token-settings.ts'
import { seconds, texts } from './arguments.ts'

/** The settings of an auth method's tokens, as arguments give them: what is left out stays. */
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
