import * as z from 'zod'
import { isObject, ownValue } from '../../kernel/objects.ts'
import { Ttl } from '../../token/wire.ts'
import { Role } from '../accounts/role.ts'
import type { ProviderFields } from '../providers/fields.ts'
import { sorts } from '../search/row.ts'
import { boxFields, type Field, providerFields, sentText as text, versionFields } from './fields.ts'

/** A documented body: all fields below one name. */
const below = (name: string, shape: z.ZodRawShape) => z.object({ [name]: z.object(shape) })

type Sent<Fields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never
}

const shapeOf = (fields: Readonly<Record<string, Field<unknown>>>): z.ZodRawShape =>
  Object.fromEntries(Object.values(fields).map(({ wire, sent }) => [wire, sent]))

/**
 * A body with its fields below one name, as documented, or bare, as older clients send them. A body without any field
 * counts as missing. The result has the names of the methods' arguments.
 */
const wrapped = <const Fields extends Readonly<Record<string, Field<unknown>>>>(
  name: string,
  fields: Fields,
) => {
  const shape = shapeOf(fields)
  const unwrapped = (body: unknown): unknown => {
    if (!isObject(body)) return undefined
    const below = ownValue(body, name)
    if (below === null) return undefined
    if (isObject(below)) return Object.keys(below).length > 0 ? below : undefined
    return Object.keys(shape).some((field) => Object.hasOwn(body, field)) ? body : undefined
  }
  const named = (sent: Readonly<Record<string, unknown>>): Sent<Fields> =>
    // Each field has the value that its schema returned.
    Object.fromEntries(Object.entries(fields).map(([field, { wire }]) => [field, sent[wire]])) as Sent<Fields>
  return {
    accepts: below(name, shape),
    body: z
      .preprocess(unwrapped, z.object(shape, { error: `${name} parameter is required!` }))
      .transform(named),
  }
}

export const BoxBody = wrapped('box', boxFields)
export const VersionBody = wrapped('version', versionFields)
const ProviderBody = wrapped('provider', providerFields)

const { architecture, defaultArchitecture, ...withoutArchitecture } = providerFields

/** Version 1 has no architectures: such fields are parsed and ignored. */
export const providerBodies: Readonly<
  Record<1 | 2, { readonly accepts: z.ZodType; readonly body: z.ZodType<ProviderFields> }>
> = {
  1: {
    accepts: below('provider', shapeOf(withoutArchitecture)),
    body: ProviderBody.body.transform((sent) =>
      Object.assign({}, sent, { architecture: undefined, defaultArchitecture: undefined }),
    ),
  },
  2: ProviderBody,
}

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

/** What proves who a user is. */
export const ProofBody = z.strictObject(
  { two_factor: z.object({ code: text }).nullish(), user },
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
  q: z.string().optional().describe('words to find in the user name, name or short description'),
  provider: z.string().optional().describe('only boxes with this provider'),
  sort: z
    .string()
    .optional()
    .describe(`${sorts.join(', ')}; ${sorts[0]} by default`),
  order: z.string().optional().describe('desc or asc; desc by default'),
  limit: z.string().optional().describe('results per page: 10 by default, at most 100'),
  page: z.string().optional().describe('page number, starting at 1'),
})

/** The search parameters of each version of the API: only version 2 has architectures. */
export const searchQueries = {
  1: SearchQuery,
  2: SearchQuery.extend({
    architecture: z.string().optional().describe('only boxes with this architecture'),
    architcture: z.string().optional().describe('alias of `architecture`, as misspelt in the documentation'),
  }),
} as const

export const UserBody = z.object({
  user: z.object(
    {
      username: z.string(),
      password: z.string().optional(),
      email: z.string().optional(),
      administrator: z.boolean().optional(),
    },
    { error: 'user parameter is required!' },
  ),
})

/** Changes of a user; omitted fields stay unchanged. */
export const UserChanges = z.strictObject({
  password: z.string().optional(),
  email: z.string().nullable().optional(),
  administrator: z.boolean().optional(),
})

const Past = z.iso.datetime().transform((text) => Math.max(0, Date.parse(text)))

/** What a box had in another catalog. */
export const HistoryBody = z.strictObject({
  created_at: Past,
  downloads: z.int().min(0),
  versions: z.array(z.strictObject({ version: z.string(), created_at: Past, updated_at: Past })),
})

export const OrganizationBody = z.strictObject({
  username: z.string(),
  members: z.array(z.string()).optional(),
})
export const OrganizationChanges = z.strictObject({ members: z.array(z.string()) })
export const IssueTokenBody = z.strictObject({
  username: z.string().optional(),
  description: z.string().optional(),
  role: Role.optional(),
  owners: z.array(z.string()).optional(),
  ttl: Ttl.optional(),
})
export const TokenQuery = z.object({
  username: z.string().optional().describe('only the tokens of this user'),
})

/** Which users or organizations. */
export const AccountsQuery = z.object({
  limit: z.string().optional().describe('accounts per page: 100 by default, which is the maximum'),
  page: z.string().optional().describe('page number, starting at 1'),
})

/** Which of a user's boxes. */
export const AccountQuery = z.object({
  limit: z.string().optional().describe('boxes per page: 100 by default, which is the maximum'),
  page: z.string().optional().describe('page number, starting at 1'),
})
