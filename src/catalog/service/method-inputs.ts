import * as z from 'zod'
import { anything, like, optional, type Takes, aText as text } from '../../operation/arguments.ts'
import { anyNumber, asRead, fields } from '../../operation/known-fields.ts'
import type { Caller } from '../accounts/access.ts'
import { Account } from '../accounts/model.ts'
import type { SaveOrganizationInput } from '../accounts/save-organization.ts'
import type { UpdateProfileInput } from '../accounts/update-profile.ts'
import type { CreateBoxInput } from '../boxes/create.ts'
import { Box } from '../boxes/model.ts'
import type { ProviderFields } from '../providers/fields.ts'
import { Provider } from '../providers/model.ts'
import { Upload } from '../uploads/model.ts'
import { Version } from '../versions/model.ts'
import type { AccountMethods, PutUserInput } from './accounts.ts'
import type { BoxAddress } from './guard.ts'
import type { LogInMethods } from './log-in.ts'
import type { CatalogMethods } from './methods.ts'
import type { SearchQuery } from './search.ts'
import type { TokenMethods } from './tokens.ts'

const aString = z.string()
const said = aString.optional()
const unsaid = aString.nullable().optional()
const yesOrNo = z.boolean().optional()
type Fields<Input> = Readonly<Record<keyof Input, z.ZodType>>

/** Boxes and versions are addresses, too: what else they have is not asked for. */
const aBox = { username: aString, name: aString } satisfies Fields<BoxAddress>
const box = like(z.object(aBox))
const version = like(z.object({ ...aBox, version: aString }))
const at = like(z.object({ name: aString, architecture: said }))

/** The whole address of a version is often at hand where a part of it is asked for. */
const addressed = asRead(z.object({ ...aBox, version: aString }))
const boxAsRead = { ...addressed, ...asRead(Box) }
const versionAsRead = { ...addressed, ...asRead(Version) }
/** What may be changed of a box. */
const ofBox = { description: said, shortDescription: said, private: yesOrNo }
const provider = fields({
  ...addressed,
  ...asRead(Provider),
  ...({
    name: said,
    architecture: said,
    defaultArchitecture: yesOrNo,
    url: unsaid,
    checksum: unsaid,
    checksumType: unsaid,
  } satisfies Fields<ProviderFields>),
})
const policy = optional(fields({ byName: yesOrNo }))
const query = optional(
  fields({
    q: said,
    provider: said,
    architecture: said,
    sort: said,
    order: said,
    limit: anyNumber.optional(),
    offset: anyNumber.optional(),
  } satisfies Fields<SearchQuery>),
)
const described = optional(fields({ description: said }))
const credentials = fields({ login: aString, password: aString })

/** What the methods of a caller take. Types say it to whoever compiles; this says it to everybody. */
export const callerInputs: { readonly [Name in keyof CatalogMethods]: Takes } = {
  createBox: { input: fields({ ...boxAsRead, ...ofBox, ...aBox } satisfies Fields<CreateBoxInput>) },
  readBox: { address: box },
  updateBox: { address: box, input: fields({ ...boxAsRead, ...ofBox, name: said }) },
  deleteBox: { address: box },
  readAccount: { username: text },
  createVersion: {
    address: box,
    input: fields({ ...versionAsRead, version: aString, description: said }),
  },
  readVersion: { address: version },
  updateVersion: {
    address: version,
    input: fields({ ...versionAsRead, version: said, description: said }),
  },
  deleteVersion: { address: version },
  releaseVersion: { address: version },
  revokeVersion: { address: version },
  createProvider: { address: version, input: provider, policy },
  readProvider: { address: version, at },
  updateProvider: { address: version, at, input: provider, policy },
  deleteProvider: { address: version, at },
  requestUpload: { address: version, at, mode: like(Upload.shape.mode) },
  finalizeUpload: { address: version, at, secret: text },
  findImage: { address: version, at },
  countDownload: { boxId: text },
  search: { query },
}

/** What the methods of the catalog itself take. */
export const methodInputs: typeof callerInputs & {
  readonly [Name in
    | keyof AccountMethods
    | keyof TokenMethods
    | keyof LogInMethods
    | 'receiveUpload'
    | 'load'
    | 'sweep'
    | 'sweepBlobs']: Takes
} = {
  ...callerInputs,
  putUser: {
    input: fields({
      ...asRead(Account),
      ...({
        username: aString,
        password: said,
        email: unsaid,
        phone: unsaid,
        totpSecret: unsaid,
      } satisfies Fields<PutUserInput>),
    }),
  },
  putOrganization: {
    input: fields({
      ...asRead(Account),
      ...({
        username: aString,
        members: z.array(aString).optional(),
      } satisfies Fields<SaveOrganizationInput>),
    }),
  },
  updateProfile: {
    username: text,
    input: fields({
      ...asRead(Account),
      ...({ avatarUrl: said, profile: said, delinquent: yesOrNo } satisfies Fields<UpdateProfileInput>),
    }),
  },
  createToken: { username: text, input: described },
  authenticate: { token: text },
  deleteToken: { token: text },
  logIn: { credentials, input: optional(fields({ description: said, code: said })) },
  requestCode: { credentials, input: fields({ deliveryMethod: aString }) },
  receiveUpload: { secret: text, body: anything },
  load: { records: anything, options: optional(fields({ dryRun: yesOrNo })) },
  sweep: {},
  sweepBlobs: {},
}

const aCaller = z.union(
  [
    z.object({ kind: z.literal('user'), username: aString }),
    z.object({ kind: z.enum(['host', 'anonymous']) }),
  ],
  { error: "expected { kind: 'host' }, { kind: 'user', username } or { kind: 'anonymous' }" },
)

/** What somebody may do is not for guessing: whoever is none of the callers there are is a mistake of the program. */
export function expectCaller(caller: Caller): Caller {
  const { error } = aCaller.safeParse(caller)
  if (error !== undefined) throw new TypeError(`as: caller: ${error.issues[0]?.message}`)
  return caller
}
