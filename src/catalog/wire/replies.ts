import * as z from 'zod'
import { Role } from '../accounts/role.ts'
import { architectures, checksumTypes } from '../providers/vocabulary.ts'

/** Schemas of the answers, for documentation; `views.ts` creates the answers. */
const timestamp = z.iso.datetime({ precision: 3 })

/** Every refusal; a missing two-factor code comes with the delivery methods. */
export const ErrorReply = z
  .strictObject({
    errors: z.array(z.string()),
    success: z.literal(false),
    two_factor: z
      .strictObject({ default_delivery_method: z.string(), delivery_methods: z.array(z.string()) })
      .optional(),
  })
  .meta({ id: 'Errors' })

const common = {
  name: z.string(),
  hosted: z.boolean(),
  hosted_token: z.null(),
  original_url: z.string().nullable(),
  download_url: z.string(),
  created_at: timestamp,
  updated_at: timestamp,
  checksum: z.string().nullable(),
  checksum_type: z.enum(checksumTypes).nullable(),
}

const architecture = { architecture: z.enum(architectures), default_architecture: z.boolean() }

const providerOf = {
  1: z.strictObject(common).meta({ id: 'V1Provider' }),
  2: z.strictObject({ ...common, ...architecture }).meta({ id: 'V2Provider' }),
} as const

/** The answers of one version of the API: the versions differ in providers. */
const repliesOf = <Provider extends z.ZodType>(api: 1 | 2, Provider: Provider) => {
  const named = <Shape extends z.ZodType>(name: string, shape: Shape) => shape.meta({ id: `V${api}${name}` })
  const Version = named(
    'Version',
    z.strictObject({
      version: z.string(),
      number: z.string(),
      status: z.enum(['unreleased', 'active', 'revoked']),
      description_html: z.string(),
      description_markdown: z.string(),
      created_at: timestamp,
      updated_at: timestamp,
      release_url: z.string(),
      revoke_url: z.string(),
      providers: z.array(Provider),
    }),
  )
  const BoxInList = z.strictObject({
    tag: z.string(),
    username: z.string(),
    name: z.string(),
    short_description: z.string(),
    description_html: z.string(),
    description_markdown: z.string(),
    private: z.boolean(),
    downloads: z.int(),
    created_at: timestamp,
    updated_at: timestamp,
    current_version: Version.nullable(),
  })
  const ListedBox = named('ListedBox', BoxInList)
  const Account = z.strictObject({
    username: z.string(),
    avatar_url: z.string(),
    profile_html: z.string(),
    profile_markdown: z.string(),
    boxes: z.array(ListedBox),
  })
  const Box = named('Box', BoxInList.extend({ versions: z.array(Version) }))
  return { Provider, Version, Box, Account, Search: z.strictObject({ boxes: z.array(ListedBox) }) }
}

export const replies = { 1: repliesOf(1, providerOf[1]), 2: repliesOf(2, providerOf[2]) } as const

type OutputsOf<Api extends 1 | 2> = {
  readonly [Name in keyof (typeof replies)[Api]]: z.output<(typeof replies)[Api][Name]>
}
/** The answers of version 2 of the API, by name. */
export interface Replies extends OutputsOf<2> {}

/** The metadata of a box for the client: downloadable versions and their providers. */
const metadataOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({
    name: z.string(),
    description: z.string(),
    short_description: z.string(),
    versions: z.array(
      z.strictObject({
        version: z.string(),
        status: z.literal('active'),
        description_html: z.string(),
        description_markdown: z.string(),
        providers: z.array(
          z.strictObject({
            name: z.string(),
            url: z.string(),
            checksum: common.checksum,
            checksum_type: common.checksum_type,
            ...shape,
          }),
        ),
      }),
    ),
  })

export const metadata = { 1: metadataOf({}), 2: metadataOf(architecture) } as const

/** An answer that only confirms success. */
export const NothingReply = z.strictObject({})

export const UploadReply = z.strictObject({ upload_path: z.string() })
export const DirectUploadReply = UploadReply.extend({ callback: z.string() })
export const WhoReply = z.strictObject({ user: z.strictObject({ username: z.string() }) })
export const TokenReply = z.strictObject({
  description: z.string(),
  token: z.string(),
  token_hash: z.string(),
  created_at: timestamp,
})
export const CodeReply = z.strictObject({
  two_factor: z.strictObject({ obfuscated_destination: z.string() }),
})

export const NewUserReply = z.object({ username: z.string(), administrator: z.boolean() })
export const UserReply = z
  .strictObject({
    username: z.string(),
    email: z.string().nullable(),
    administrator: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'User' })
export const OrganizationReply = z
  .strictObject({ username: z.string(), members: z.array(z.string()), created_at: timestamp })
  .meta({ id: 'Organization' })
export const IssuedToken = z
  .strictObject({
    id: z.string(),
    username: z.string(),
    description: z.string(),
    role: Role.nullable(),
    owners: z.array(z.string()).nullable(),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'IssuedToken' })
