import * as z from 'zod'
import { anything, argument, aText, expected, like, optionalArgument } from '../../operation/arguments.ts'
import { anyNumber, fields } from '../../operation/known-fields.ts'
import {
  type PruneOptions,
  pruneFields,
  type QuotaChanges,
  quotaField,
  quotaFields,
} from '../../quota/quota.ts'
import { type TrailQuery, trailQueryFields } from '../../trail/read-trail.ts'
import { type NewWebhook, WebhookInput } from '../../webhooks/model.ts'
import type { RegistryRecords } from '../load-wire.ts'
import type { ModuleHistory } from '../modules/history.ts'
import type { ModuleAddress } from '../modules/names.ts'
import type { ModuleChanges, PublishModuleInput } from '../modules/publish.ts'
import type { ModuleRow } from '../search/row.ts'
import { type Deprecation, ModulePart } from '../versions/model.ts'
import type { PublishVersionInput } from '../versions/publish.ts'
import type { PublishArchiveInput } from './archive-model.ts'
import type { CreateTokenInput } from './publisher.ts'
import type { ListWindow, Reader } from './reader.ts'

const aString = z.string()
/** Rows are accepted as addresses, too: their other fields are ignored. */
const addressFields = { namespace: aString, name: aString, provider: aString } satisfies Record<
  keyof ModuleAddress,
  z.ZodType
>
const isAddress = like(z.object(addressFields))

export const address = argument<ModuleAddress>('address', isAddress)
export const from = argument<ModuleAddress>('from', isAddress)
export const to = argument<ModuleAddress>('to', isAddress)
export const moduleName = argument<Pick<ModuleAddress, 'namespace' | 'name'>>(
  'of',
  like(z.object({ namespace: aString, name: aString })),
)
export const text = argument<string>('text', aText)
export const version = argument<string>('version', aText)

/** An element of a list can be passed back with changes: its other fields are ignored. */
const asListed = z.unknown().optional()
const described = {
  description: aString.optional(),
  source: aString.optional(),
  labels: z.array(aString).optional(),
}

export const publishedModule = argument<PublishModuleInput>(
  'input',
  fields({
    ...addressFields,
    owner: aString.optional(),
    ...described,
    verified: z.boolean().optional(),
    id: asListed,
    version: asListed,
    publishedMicros: asListed,
    downloads: asListed,
  } satisfies Record<keyof PublishModuleInput | keyof ModuleRow, z.ZodType>),
)
export const publishedVersion = argument<PublishVersionInput>(
  'input',
  fields({
    version: aString,
    source: aString,
    root: ModulePart.optional(),
    submodules: z.array(ModulePart).optional(),
    publishedMicros: z.int().optional(),
  } satisfies Record<keyof PublishVersionInput, z.ZodType>),
)
export const archivedVersion = argument<PublishArchiveInput>(
  'input',
  fields({
    version: aString,
    format: z.enum(['tar.gz', 'zip']).optional(),
    owner: aString.optional(),
    ...described,
    maxBytes: z.number().optional(),
  } satisfies Record<keyof PublishArchiveInput, z.ZodType>),
)
export const moduleChanges = argument<ModuleChanges>(
  'changes',
  fields({ ...described, verified: z.boolean().optional() } satisfies Record<keyof ModuleChanges, z.ZodType>),
)
const past = z.int().min(0)
export const history = argument<ModuleHistory>(
  'history',
  fields({
    downloads: past,
    versions: z.array(z.strictObject({ version: aString, publishedMicros: past })),
  } satisfies Record<keyof ModuleHistory, z.ZodType>),
)
export const archiveBytes = argument<AsyncIterable<Uint8Array>>('body', (given) =>
  typeof given === 'object' && given !== null && Symbol.asyncIterator in given
    ? undefined
    : expected('a stream of bytes', given),
)
export const deprecation = argument<Deprecation | null>(
  'deprecation',
  like(z.strictObject({ reason: aString, link: aString.optional() }).nullable()),
)
export const token = argument<string>('token', aText)
export const namespace = argument<string>('namespace', aText)
export const quotaChanges = argument<QuotaChanges<'modules'>>(
  'changes',
  fields({ ...quotaFields, modules: quotaField } satisfies Record<keyof QuotaChanges<'modules'>, z.ZodType>),
)
export const pruneOptions = optionalArgument(
  argument<PruneOptions>('options', fields(pruneFields satisfies Record<keyof PruneOptions, z.ZodType>)),
)
export const newHook = argument<NewWebhook>(
  'input',
  fields(WebhookInput.shape satisfies Record<keyof NewWebhook, z.ZodType>),
)
export const webhookId = argument<string>('id', aText)
export const tokenName = argument<string>('name', aText)
export const tokenId = argument<string>('id', aText)
export const publishingToken = argument<CreateTokenInput>(
  'input',
  fields({
    name: aString,
    namespaces: z.array(aString).optional(),
    reads: z.array(aString).optional(),
    readOnly: z.boolean().optional(),
    administrator: z.boolean().optional(),
    ttlMs: anyNumber.optional(),
  } satisfies Record<keyof CreateTokenInput, z.ZodType>),
)
export const sweepOptions = optionalArgument(
  argument<{ readonly abandoned?: boolean | undefined }>(
    'options',
    fields({ abandoned: z.boolean().optional() }),
  ),
)
const oneOrMore = z.union([aString, z.array(aString)]).optional()
export const query = optionalArgument(
  argument<ListWindow>(
    'query',
    fields({
      offset: anyNumber.optional(),
      limit: anyNumber.optional(),
      namespace: oneOrMore,
      provider: oneOrMore,
      verified: z.boolean().optional(),
    } satisfies Record<keyof ListWindow, z.ZodType>),
  ),
)
/** Strict: with a misspelt field, a reader would see everything. */
export const reader = optionalArgument(
  argument<Reader>(
    'reader',
    fields({
      name: aString.optional(),
      namespaces: z.array(aString).optional(),
    } satisfies Record<keyof Reader, z.ZodType>),
  ),
)
export const trailQuery = optionalArgument(argument<TrailQuery>('query', fields(trailQueryFields)))
export const records = argument<RegistryRecords>('records', anything)
export const loadOptions = optionalArgument(
  argument<{ readonly dryRun?: boolean | undefined }>('options', fields({ dryRun: z.boolean().optional() })),
)
