import * as z from 'zod'
import { wellFormed } from './well-formed.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A body whose fields stand below one name, as the documentation says, or bare, as older clients send them. Without
 * any field it counts as missing.
 */
const wrapped = <Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
  z.preprocess(
    (body) => {
      if (!isObject(body)) return undefined
      const below = Object.hasOwn(body, name) ? body[name] : undefined
      if (below === null) return undefined
      if (isObject(below)) return Object.keys(below).length > 0 ? below : undefined
      return Object.keys(shape).some((field) => Object.hasOwn(body, field)) ? body : undefined
    },
    z
      .object(shape, { error: `${name} parameter is required!` })
      .describe(`the fields of a ${name}, bare or below "${name}"`),
  )

/** Clients send null for what they do not want to say. */
const text = z
  .string()
  .nullish()
  .transform((value) => (value == null ? undefined : wellFormed(value)))

const flag = z
  .union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')], {
    error: 'expected true or false',
  })
  .nullish()
  .transform((value) => value ?? undefined)

export const BoxBody = wrapped('box', {
  username: text,
  name: text,
  short_description: text,
  description: text,
  is_private: flag,
})

export const VersionBody = wrapped('version', { version: text, description: text })

export const ProviderBody = wrapped('provider', {
  name: text,
  url: text,
  checksum: text,
  checksum_type: text,
  architecture: text,
  default_architecture: flag,
})

const user = z.object(
  {
    login: z.string({ error: 'user.login parameter is required!' }),
    password: z.string({ error: 'user.password parameter is required!' }),
  },
  { error: 'user parameter is required!' },
)

export const TokenBody = z.object(
  {
    token: z.object({ description: text }).nullish(),
    two_factor: z.object({ code: text }).nullish(),
    user,
  },
  { error: 'user parameter is required!' },
)

export const CodeBody = z.object(
  {
    two_factor: z.object(
      { delivery_method: z.string({ error: 'two_factor.delivery_method parameter is required!' }) },
      { error: 'two_factor parameter is required!' },
    ),
    user,
  },
  { error: 'user parameter is required!' },
)

export const SearchQuery = z.object({
  q: z.string().optional(),
  provider: z.string().optional(),
  architecture: z.string().optional(),
  /** As the documentation misspells it. */
  architcture: z.string().optional(),
  sort: z.string().optional(),
  order: z.string().optional(),
  limit: z.string().optional(),
  page: z.string().optional(),
})
