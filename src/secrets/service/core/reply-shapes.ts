import * as z from 'zod'

/** Schemas of the answers, for documentation; `wire.ts` and the routes of each folder create the answers. */

const text = z.string()

/** The location of a wrapped answer. */
const WrapInfo = z
  .object({
    token: text,
    accessor: text,
    ttl: z.int(),
    creation_time: text,
    creation_path: text,
    wrapped_accessor: text.optional(),
  })
  .meta({ id: 'WrapInfo' })

const parts = {
  request_id: text,
  lease_id: text,
  renewable: z.boolean(),
  lease_duration: z.int(),
  data: z.null(),
  wrap_info: z.null().describe('the WrapInfo of a wrapped response, which has no data'),
  warnings: z.array(text).nullable(),
  auth: z.null(),
  mount_type: text.describe('the type of the mount that answered'),
}

/** An envelope around some data. */
export const enveloped = <Data extends z.ZodType>(data: Data) => z.object({ ...parts, data })

/** An envelope around some fields, which stand beside it as well. */
export const twice = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({ ...shape, ...parts, data: z.object(shape) })

/** An envelope with a new token. */
export const authenticated = <Auth extends z.ZodType>(auth: Auth) => z.object({ ...parts, auth })

/** An envelope that refers to the wrapped one. */
export const Wrapped = z.object({ ...parts, wrap_info: WrapInfo }).meta({ id: 'Wrapped' })

/** Any wrapped envelope, or other wrapped data. */
export const Unwrapped = z.looseObject({})

/** Stored data: any fields with any JSON. */
export const Kept = z.record(z.string(), z.unknown())

/** The answer of a route that found nothing. */
export const orNothing = { also: { 404: { description: 'nothing is there' } } } as const

/** The documentation of a list of names. */
export const listsKeys = {
  reply: enveloped(z.object({ keys: z.array(text) })).meta({ id: 'Keys' }),
  ...orNothing,
} as const

/** The documentation of a write that may have warnings. */
export const mayWarn = {
  success: 204,
  also: {
    200: { description: 'done, with warnings', reply: z.object(parts).meta({ id: 'Warnings' }) },
  },
} as const

/** The answer for a new or renewed token. */
export const Login = authenticated(
  z.object({
    client_token: text,
    accessor: text,
    policies: z.array(text),
    token_policies: z.array(text),
    metadata: z.record(z.string(), text).nullable(),
    lease_duration: z.int(),
    renewable: z.boolean(),
    entity_id: text,
    token_type: z.enum(['service', 'batch']),
    orphan: z.boolean(),
    mfa_requirement: z.null(),
    num_uses: z.int(),
  }),
).meta({ id: 'Login' })

/** The requested part of a list; every list supports it. */
export const PageQuery = z.object({
  after: z.string().optional().describe('the list starts after this name'),
  limit: z.string().optional().describe('the maximum number of names'),
})
