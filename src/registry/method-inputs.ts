import * as z from 'zod'
import { anything, like, optional, type Takes, aText as text } from '../operation/arguments.ts'
import { anyNumber, fields } from '../operation/known-fields.ts'
import type { ModuleAddress } from './modules/names.ts'
import type { PublishModuleInput } from './modules/publish.ts'
import type { ListWindow, Reader, RegistryDownloads, RegistryReads } from './reading.ts'
import type { ModuleRow } from './search/row.ts'
import { ModulePart } from './versions/model.ts'
import type { PublishVersionInput } from './versions/publish.ts'
import type { RegistryWrites } from './writing.ts'

const aString = z.string()
/** Rows are addresses, too: what else they have is not asked for. */
const aModule = { namespace: aString, name: aString, provider: aString } satisfies Record<
  keyof ModuleAddress,
  z.ZodType
>
const address = like(z.object(aModule))
/** What a list says of a module may be given back with something changed: the rest of it changes nothing. */
const asListed = z.unknown().optional()
const module = fields({
  ...aModule,
  owner: aString.optional(),
  description: aString.optional(),
  source: aString.optional(),
  verified: z.boolean().optional(),
  id: asListed,
  version: asListed,
  publishedMicros: asListed,
  downloads: asListed,
} satisfies Record<keyof PublishModuleInput | keyof ModuleRow, z.ZodType>)
const release = fields({
  version: aString,
  source: aString,
  root: ModulePart.optional(),
  submodules: z.array(ModulePart).optional(),
  publishedMicros: z.int().optional(),
} satisfies Record<keyof PublishVersionInput, z.ZodType>)
const query = optional(
  fields({
    offset: anyNumber.optional(),
    limit: anyNumber.optional(),
    namespace: aString.optional(),
    provider: aString.optional(),
    verified: z.boolean().optional(),
  } satisfies Record<keyof ListWindow, z.ZodType>),
)
/** Strict: a reader of whom a misspelt field is not read would see everything. */
const reader = optional(
  fields({
    name: aString.optional(),
    namespaces: z.array(aString).optional(),
  } satisfies Record<keyof Reader, z.ZodType>),
)

/** What the methods of a registry take. Types say it to whoever compiles; this says it to everybody. */
export const methodInputs: Readonly<
  Record<keyof RegistryReads | keyof RegistryWrites | keyof RegistryDownloads, Takes>
> = {
  list: { query, reader },
  search: { text, query, reader },
  listProviders: { of: like(z.object({ namespace: aString, name: aString })), reader },
  readModule: { address, version: optional(text), reader },
  listVersions: { address, reader },
  locateVersion: { address, version: text, reader },
  downloads: { address, reader },
  download: { address, version: text, reader },
  publishModule: { input: module },
  publishVersion: { address, input: release },
  removeVersion: { address, version: text },
  renameModule: { from: address, to: address },
  removeModule: { address },
  load: { records: anything, options: optional(fields({ dryRun: z.boolean().optional() })) },
  sweep: {},
}
