import * as z from 'zod'
import { anything, argument, aText, like, optionalArgument } from '../../operation/arguments.ts'
import { anyNumber, asRead, fields } from '../../operation/known-fields.ts'
import {
  type PruneOptions,
  pruneFields,
  type QuotaChanges,
  quotaField,
  quotaFields,
} from '../../quota/quota.ts'
import { type TrailQuery, trailQueryFields } from '../../trail/read-trail.ts'
import { type NewWebhook, WebhookInput } from '../../webhooks/model.ts'
import { Account } from '../accounts/model.ts'
import { Role } from '../accounts/role.ts'
import type { SaveOrganizationInput } from '../accounts/save-organization.ts'
import type { UpdateProfileInput } from '../accounts/update-profile.ts'
import type { CreateBoxInput } from '../boxes/create.ts'
import { Box } from '../boxes/model.ts'
import type { UpdateBoxInput } from '../boxes/update.ts'
import type { ProviderFields } from '../providers/fields.ts'
import type { ProviderAddress } from '../providers/identity.ts'
import { Provider } from '../providers/model.ts'
import type { BoxAddress, VersionAddress } from '../service/guard.ts'
import type { SearchQuery } from '../service/search.ts'
import { Upload } from '../uploads/model.ts'
import type { CreateVersionInput } from '../versions/create.ts'
import { Version } from '../versions/model.ts'
import type { UpdateVersionInput } from '../versions/update.ts'
import { boxFields, givenShape, providerFields, versionFields } from '../wire/fields.ts'
import type { CatalogRecords } from '../wire/records.ts'
import type {
  AccountList,
  BoxHistory,
  BoxPage,
  Credentials,
  LeaveTo,
  LogInDetails,
  MembersOf,
  ProviderPolicy,
  PutUserInput,
  TokenDetails,
  TokenList,
} from './inputs.ts'

const aString = z.string()
const said = aString.optional()
const unsaid = aString.nullable().optional()
const yesOrNo = z.boolean().optional()
type Fields<Input> = Readonly<Record<keyof Input, z.ZodType>>

/** Boxes and versions are accepted as addresses, too: their other fields are ignored. */
const boxAddress = { username: aString, name: aString } satisfies Fields<BoxAddress>
const versionAddress = z.object({ ...boxAddress, version: aString } satisfies Fields<VersionAddress>)
/** Callers often have the whole address of a version where a part of it is needed. */
const addressed = asRead(versionAddress)

export const box = argument<BoxAddress>('address', like(z.object(boxAddress)))
export const version = argument<VersionAddress>('address', like(versionAddress))
export const at = argument<ProviderAddress>(
  'at',
  like(z.object({ name: aString, architecture: said } satisfies Fields<ProviderAddress>)),
)
export const username = argument<string>('username', aText)
export const token = argument<string>('token', aText)
export const secret = argument<string>('secret', aText)
export const boxId = argument<string>('boxId', aText)
export const mode = argument<Upload['mode']>('mode', like(Upload.shape.mode))
export const body = argument<AsyncIterable<Uint8Array>>('body', anything)

/** A box that was read can be passed back with changes. */
const boxShape = { ...addressed, ...asRead(Box), ...givenShape(boxFields) }
export const newBox = argument<CreateBoxInput>('input', fields({ ...boxShape, ...boxAddress }))
export const changedBox = argument<UpdateBoxInput>('input', fields(boxShape))

const versionShape = { ...addressed, ...asRead(Version), ...givenShape(versionFields) }
export const newVersion = argument<CreateVersionInput>('input', fields({ ...versionShape, version: aString }))
export const changedVersion = argument<UpdateVersionInput>('input', fields(versionShape))

export const provider = argument<ProviderFields>(
  'input',
  fields({ ...addressed, ...asRead(Provider), ...givenShape(providerFields) }),
)
export const boxPage = optionalArgument(
  argument<BoxPage>(
    'page',
    fields({ offset: anyNumber.optional(), limit: anyNumber.optional() } satisfies Fields<BoxPage>),
  ),
)
export const leaveTo = optionalArgument(
  argument<LeaveTo>('to', fields({ token: said } satisfies Fields<LeaveTo>)),
)
export const policy = optionalArgument(
  argument<ProviderPolicy>('policy', fields({ byName: yesOrNo } satisfies Fields<ProviderPolicy>)),
)
export const query = optionalArgument(
  argument<SearchQuery>(
    'query',
    fields({
      q: said,
      provider: said,
      architecture: said,
      sort: said,
      order: said,
      limit: anyNumber.optional(),
      offset: anyNumber.optional(),
    } satisfies Fields<SearchQuery>),
  ),
)

export const user = argument<PutUserInput>(
  'input',
  fields({
    ...asRead(Account),
    ...({
      username: aString,
      password: said,
      email: unsaid,
      phone: unsaid,
      totpSecret: unsaid,
      administrator: yesOrNo,
      createOnly: yesOrNo,
    } satisfies Fields<PutUserInput>),
  }),
)
export const organization = argument<SaveOrganizationInput>(
  'input',
  fields({
    ...asRead(Account),
    ...({ username: aString, members: z.array(aString).optional() } satisfies Fields<SaveOrganizationInput>),
  }),
)
export const profile = argument<UpdateProfileInput>(
  'input',
  fields({
    ...asRead(Account),
    ...({ avatarUrl: said, profile: said, delinquent: yesOrNo } satisfies Fields<UpdateProfileInput>),
  }),
)
export const accountKind = argument<Account['kind']>('kind', like(Account.shape.kind))
export const accountList = optionalArgument(
  argument<AccountList>(
    'of',
    fields({
      kind: Account.shape.kind.optional(),
      offset: anyNumber.optional(),
      limit: anyNumber.optional(),
    } satisfies Fields<AccountList>),
  ),
)
export const tokenList = optionalArgument(
  argument<TokenList>('of', fields({ username: said } satisfies Fields<TokenList>)),
)
export const tokenId = argument<string>('id', aText)
export const tokenDetails = optionalArgument(
  argument<TokenDetails>(
    'input',
    fields({
      description: said,
      role: Role.optional(),
      owners: z.array(aString).optional(),
      ttlMs: anyNumber.optional(),
    } satisfies Fields<TokenDetails>),
  ),
)
export const quotaChanges = argument<QuotaChanges<'boxes'>>(
  'changes',
  fields({ ...quotaFields, boxes: quotaField } satisfies Fields<QuotaChanges<'boxes'>>),
)
export const pruneOptions = optionalArgument(
  argument<PruneOptions>('options', fields(pruneFields satisfies Fields<PruneOptions>)),
)
export const newHook = argument<NewWebhook>('input', fields(WebhookInput.shape satisfies Fields<NewWebhook>))
export const webhookId = argument<string>('id', aText)
const past = z.int().min(0)
export const history = argument<BoxHistory>(
  'history',
  fields({
    createdAt: past,
    downloads: past,
    versions: z.array(z.strictObject({ version: aString, createdAt: past, updatedAt: past })),
  } satisfies Fields<BoxHistory>),
)
export const role = argument<Role>('role', like(Role))
export const membersOf = argument<MembersOf>(
  'of',
  fields({ owner: aString, box: said } satisfies Fields<MembersOf>),
)
export const credentials = argument<Credentials>(
  'credentials',
  fields({ login: aString, password: aString } satisfies Fields<Credentials>),
)
export const logInDetails = optionalArgument(
  argument<LogInDetails>('input', fields({ description: said, code: said } satisfies Fields<LogInDetails>)),
)
export const newPassword = argument<string>('password', aText)
export const newCode = argument<string>('newCode', aText)
export const logInCode = optionalArgument(
  argument<Pick<LogInDetails, 'code'>>('input', fields({ code: said })),
)
export const delivery = argument<{ readonly deliveryMethod: string }>(
  'input',
  fields({ deliveryMethod: aString }),
)
export const trailQuery = optionalArgument(argument<TrailQuery>('query', fields(trailQueryFields)))
export const records = argument<CatalogRecords>('records', anything)
export const loadOptions = optionalArgument(
  argument<{ readonly dryRun?: boolean | undefined }>('options', fields({ dryRun: yesOrNo })),
)
export const sweepOptions = optionalArgument(
  argument<{ readonly abandoned?: boolean | undefined }>('options', fields({ abandoned: yesOrNo })),
)
