import * as z from 'zod'
import { sorts } from '../search/row.ts'
import { wellFormed } from './well-formed.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A body as the documentation has it: all fields below one name. */
const below = <Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) =>
  z.object({ [name]: z.object(shape) })

/**
 * A body whose fields stand below one name, as the documentation says, or bare, as older clients send them. Without
 * any field it counts as missing.
 */
const wrapped = <Shape extends z.ZodRawShape>(name: string, shape: Shape) => ({
  accepts: below(name, shape),
  body: z.preprocess(
    (body) => {
      if (!isObject(body)) return undefined
      const fields = Object.hasOwn(body, name) ? body[name] : undefined
      if (fields === null) return undefined
      if (isObject(fields)) return Object.keys(fields).length > 0 ? fields : undefined
      return Object.keys(shape).some((field) => Object.hasOwn(body, field)) ? body : undefined
    },
    z.object(shape, { error: `${name} parameter is required!` }),
  ),
})

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

const providerFields = { name: text, url: text, checksum: text, checksum_type: text }
const ProviderBody = wrapped('provider', {
  ...providerFields,
  architecture: text,
  default_architecture: flag,
})
export interface ProviderBody extends z.output<typeof ProviderBody.body> {}

/** Version 1 knows no architectures: what it says about them is read, and ignored. */
export const providerBodies = {
  1: { ...ProviderBody, accepts: below('provider', providerFields) },
  2: ProviderBody,
} as const

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

const SearchQuery = z.object({
  q: z.string().optional().describe('words that user name, name or short description have'),
  provider: z.string().optional().describe('only boxes with this provider'),
  sort: z
    .string()
    .optional()
    .describe(`${sorts.join(', ')}; ${sorts[0]} by default`),
  order: z.string().optional().describe('desc or asc; desc by default'),
  limit: z.string().optional().describe('results on a page: 10 by default, 100 at most'),
  page: z.string().optional().describe('which page; the first is 1'),
})

/** The search of each version of the API: only the second knows architectures. */
export const searchQueries = {
  1: SearchQuery,
  2: SearchQuery.extend({
    architecture: z.string().optional().describe('only boxes with this architecture'),
    architcture: z.string().optional().describe('the same, as the documentation misspells it'),
  }),
} as const
