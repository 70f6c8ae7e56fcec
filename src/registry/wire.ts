import * as z from 'zod'
import type { OffsetMeta } from '../paging/index.ts'
import type { DownloadSummary } from './downloads/summary.ts'
import { LoginService } from './login-service.ts'
import { formatAddress, type ModuleAddress } from './modules/names.ts'
import { formatMicros } from './rfc3339-micros.ts'
import type { ModuleRow } from './search/row.ts'
import type { ModuleDetails } from './versions/details.ts'
import {
  Dependency,
  Deprecation,
  Input,
  type ListedVersion,
  type ModulePart,
  Output,
  ProviderRequirement,
  Resource,
} from './versions/model.ts'

/** One module in a list. */
export const ModuleSummary = z
  .object({
    id: z.string(),
    owner: z.string(),
    namespace: z.string(),
    name: z.string(),
    version: z.string(),
    provider: z.string(),
    description: z.string(),
    source: z.string(),
    published_at: z.string(),
    downloads: z.int(),
    verified: z.boolean(),
    labels: z.array(z.string()).optional(),
  })
  .meta({ id: 'ModuleSummary' })
/**
 * One module in a list.
 */
export interface ModuleSummary extends z.infer<typeof ModuleSummary> {}

/** The root or a submodule of one version. */
export const PartDetail = z
  .object({
    path: z.string(),
    readme: z.string(),
    empty: z.boolean(),
    name: z.string(),
    inputs: z.array(Input.required({ type: true, required: true })),
    outputs: z.array(Output),
    dependencies: z.array(Dependency),
    providers: z.array(ProviderRequirement),
    resources: z.array(Resource),
    data_sources: z.array(Resource).optional(),
    required_version: z.string().optional(),
  })
  .meta({ id: 'ModulePart' })

/** One version of one module. */
export const ModuleDetail = ModuleSummary.extend({
  root: PartDetail,
  submodules: z.array(PartDetail),
  providers: z.array(z.string()),
  versions: z.array(z.string()),
  deprecation: Deprecation.optional(),
  warnings: z.array(z.string()).optional(),
}).meta({ id: 'ModuleDetail' })
/**
 * One version of one module.
 */
export interface ModuleDetail extends z.infer<typeof ModuleDetail> {}

/** The position of a page; the fields of missing neighbours are omitted. */
export const PageMeta = z.object({
  limit: z.int(),
  current_offset: z.int(),
  next_offset: z.int().optional(),
  next_url: z.string().optional(),
  prev_offset: z.int().optional(),
  prev_url: z.string().optional(),
})
/**
 * The position of a page; the fields of missing neighbours are omitted.
 */
export interface PageMeta extends z.infer<typeof PageMeta> {}

/** A page of modules. */
export const ModulePage = z
  .object({ meta: PageMeta, modules: z.array(ModuleSummary) })
  .meta({ id: 'ModulePage' })
/**
 * A page of modules.
 */
export interface ModulePage extends z.infer<typeof ModulePage> {}

/** The versions that clients choose from; the first element is the requested module. */
export const VersionList = z
  .object({
    modules: z.array(
      z.object({
        source: z.string(),
        versions: z.array(
          z.object({
            version: z.string(),
            root: z.object({ dependencies: z.array(Dependency), providers: z.array(ProviderRequirement) }),
            deprecation: Deprecation.optional(),
            submodules: z.array(
              z.object({
                path: z.string(),
                dependencies: z.array(Dependency),
                providers: z.array(ProviderRequirement),
              }),
            ),
          }),
        ),
      }),
    ),
  })
  .meta({ id: 'VersionList' })
/**
 * The versions that clients choose from; the first element is the requested module.
 */
export interface VersionList extends z.infer<typeof VersionList> {}

/** Service identifier → base address with a slash at its end. */
export const Discovery = z.object({
  'modules.v1': z.string(),
  'modules.v2': z.string(),
  'login.v1': LoginService.optional(),
})

/** The download location of a version, as in its header. */
export const Location = z.object({ location: z.string() })

/** Download counts in the form of the registry's second version. */
export const DownloadsDocument = z
  .object({
    data: z.object({
      type: z.literal('module-downloads-summary'),
      id: z.string(),
      attributes: z.object({ week: z.int(), month: z.int(), year: z.int(), total: z.int() }),
    }),
  })
  .meta({ id: 'DownloadsSummary' })
/**
 * Download counts in the form of the registry's second version.
 */
export interface DownloadsDocument extends z.infer<typeof DownloadsDocument> {}

/** The summary of a module in the protocol, at the given version. */
export const toSummary = (
  row: ModuleRow,
  { number, publishedMicros } = { number: row.version, publishedMicros: row.publishedMicros },
): ModuleSummary => ({
  id: `${formatAddress(row)}/${number}`,
  owner: row.owner,
  namespace: row.namespace,
  name: row.name,
  version: number,
  provider: row.provider,
  description: row.description,
  source: row.source,
  published_at: formatMicros(publishedMicros),
  downloads: row.downloads,
  verified: row.verified,
  ...(row.labels ? { labels: [...row.labels] } : {}),
})

/** The detail of one version in the protocol. */
export const toDetail = ({ row, version, contents, providers, versions }: ModuleDetails): ModuleDetail => ({
  ...toSummary(row, version),
  root: toPart(contents.root, row.name),
  submodules: contents.submodules.map((part) => toPart(part, row.name)),
  providers: [...providers],
  versions: [...versions],
  ...(version.deprecation ? { deprecation: version.deprecation } : {}),
  ...(contents.warnings ? { warnings: contents.warnings } : {}),
})

/** A part with values derived from its record. */
const toPart = (part: ModulePart, moduleName: string) => ({
  ...part,
  name: part.path === '' ? moduleName : part.path.slice(part.path.lastIndexOf('/') + 1),
  inputs: part.inputs.map((input) => ({
    ...input,
    type: input.type ?? '',
    required: input.required ?? input.default === '',
  })),
})

/** The version list of one module in the protocol. */
export const toVersionList = (
  row: ModuleAddress & { readonly source: string },
  versions: readonly ListedVersion[],
): VersionList => ({
  modules: [
    {
      source: row.source === '' ? formatAddress(row) : row.source,
      versions: versions.map(({ number, root, submodules, deprecation }) => ({
        version: number,
        ...(deprecation ? { deprecation } : {}),
        root: { dependencies: root.dependencies, providers: root.providers },
        submodules,
      })),
    },
  ],
})

/** The envelope of a page; `urlAt` returns the URL of another offset of the same list. */
export const toPageMeta = (meta: OffsetMeta, urlAt: (offset: number) => string): PageMeta => ({
  limit: meta.limit,
  current_offset: meta.currentOffset,
  ...(meta.nextOffset === undefined
    ? {}
    : { next_offset: meta.nextOffset, next_url: urlAt(meta.nextOffset) }),
  ...(meta.prevOffset === undefined
    ? {}
    : { prev_offset: meta.prevOffset, prev_url: urlAt(meta.prevOffset) }),
})

/** The download summary of the registry's second version. */
export const toDownloads = (
  address: ModuleAddress,
  { week, month, year, total }: DownloadSummary,
): DownloadsDocument => ({
  data: {
    type: 'module-downloads-summary',
    id: formatAddress(address),
    attributes: { month, total, week, year },
  },
})
