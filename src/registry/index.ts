/**
 * The module registry: publishing, versions, search, downloads and service discovery.
 *
 * @packageDocumentation
 */

// Start here

export type { RegistryOptions } from './options.ts'
export { createRegistry, type Registry } from './service.ts'

// The rest, by kind

export type { HttpService, OpenApiDocument, RefusalCode, RequestRecord, Route, Words } from '../http/index.ts'
export type {
  Answer,
  Env,
  Instant,
  Outcome,
  Refusal,
  Refused,
  ServiceEvent,
  Step,
  Timers,
} from '../kernel/index.ts'
export type { TrustRule } from '../oidc/index.ts'
export type {
  Amounts,
  Pruned,
  PrunedVersion,
  PruneOptions,
  Quota,
  QuotaChanges,
  QuotaUse,
} from '../quota/quota.ts'
export type { Store } from '../store/index.ts'
export type { ListedWebhook, NewWebhook, Webhook, WebhookSender } from '../webhooks/model.ts'
export { type ArchiveLimits, archiveLimits } from './archive/entry.ts'
export type { RegistryContext } from './context.ts'
export { countDownloads } from './downloads/count.ts'
export type { DownloadCounter } from './downloads/model.ts'
export { type DownloadSummary, summarizeDownloads } from './downloads/summary.ts'
export type { Loaded } from './load.ts'
export type { ModuleRecord, RegistryRecords } from './load-wire.ts'
export type { LoginService } from './login-service.ts'
export type { RegistryEvent, RegistryReport } from './modules/events.ts'
export type { ModuleHistory } from './modules/history.ts'
export type { Module, Moved, PublishedVersion } from './modules/model.ts'
export {
  addressProblem,
  formatAddress,
  isAddressPart,
  type ModuleAddress,
  sameAddress,
} from './modules/names.ts'
export { type ModuleChanges, type PublishModuleInput, publishModule } from './modules/publish.ts'
export { renameModule } from './modules/rename.ts'
export { moduleRow } from './modules/view.ts'
export type { OpenableArchive, PublishArchiveInput, PublishedArchive } from './operations/archive-model.ts'
export type { CreatedToken, CreateTokenInput, ListedToken, Publisher } from './operations/publisher.ts'
export type { ListWindow, Reader } from './operations/reader.ts'
export { refusalCodes } from './refusal-codes.ts'
export type { ReadModuleRefusal } from './refusals.ts'
export { type ModuleDirectory, moduleDirectory } from './search/directory.ts'
export { searchPoints } from './search/points.ts'
export type { DirectoryQuery } from './search/query.ts'
export type { Excerpt, ModuleRow } from './search/row.ts'
export type { SignInOptions } from './sign-in-options.ts'
export { type ParsedAddress, parseModuleAddress } from './source/parse-address.ts'
export {
  type Downloader,
  downloaders,
  type ResolvedSource,
  resolveModuleSource,
  sourceProblem,
} from './source/resolve.ts'
export type { Upstream } from './upstream.ts'
export type { VersionsOf } from './version-list-encoder.ts'
export { deprecateVersion } from './versions/deprecate.ts'
export type { ModuleDetails } from './versions/details.ts'
export { type ModuleLimits, moduleLimits } from './versions/limits.ts'
export type {
  Dependency,
  Deprecation,
  Input,
  ListedVersion,
  ModulePart,
  ModulePartInput,
  Output,
  PartNeeds,
  ProviderRequirement,
  Resource,
  StoredArchive,
  Version,
  VersionContents,
} from './versions/model.ts'
export { compareVersions, isPrerelease, parseVersion, type VersionNumber } from './versions/number.ts'
export { latestVersion } from './versions/order.ts'
export {
  type ArchivedVersionInput,
  type PublishedRecords,
  type PublishVersionInput,
  type PublishVersionRefusal,
  publishVersion,
} from './versions/publish.ts'
export { removeVersion } from './versions/remove.ts'
