/**
 * A catalog of virtual-machine boxes: pure engines for boxes, versions, providers,
 * uploads and accounts, and a service that puts them on a store and on HTTP in both versions of the API.
 *
 * @packageDocumentation
 */

// Start here

export { type Catalog, createCatalog } from './service/create-catalog.ts'
export type {
  CatalogGuest,
  CatalogOptions,
  CatalogRights,
  DeliverCode,
  RateLimiter,
  RateVerdict,
} from './service/options.ts'

// The rest, by kind

export type { CryptoPort, DigestAlgorithm, HmacAlgorithm } from '../crypto/index.ts'
export type { HttpService, OpenApiDocument, RefusalCode, RequestRecord, Route } from '../http/index.ts'
export { renderMarkdown } from '../http/markdown.ts'
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
export type { BlobPutOptions, Blobs, BlobWritten, DigestName, Store } from '../store/index.ts'
export type { ListedWebhook, NewWebhook, Webhook, WebhookSender } from '../webhooks/model.ts'
export { anonymous, type Caller, host, isAtLeast, roleOf, type TokenLimits } from './accounts/access.ts'
export { type LogInInput, type LogInRefusal, logIn, spendTry } from './accounts/log-in.ts'
export type { Account, Token, TwoFactor } from './accounts/model.ts'
export { maskPhone, requestCode } from './accounts/request-code.ts'
export type { Role } from './accounts/role.ts'
export { type SaveOrganizationInput, saveOrganization } from './accounts/save-organization.ts'
export { type SaveUserInput, saveUser } from './accounts/save-user.ts'
export { type UpdateProfileInput, updateProfile } from './accounts/update-profile.ts'
export type { AccountView } from './accounts/view.ts'
export { type CreateBoxInput, type CreateBoxRefusal, createBox, tagOf } from './boxes/create.ts'
export { type SizeLimits, type SizeRefusal, sizeLimits } from './boxes/limits.ts'
export type { Box } from './boxes/model.ts'
export { boxNameProblem, foldName, usernameProblem } from './boxes/names.ts'
export { textsProblem } from './boxes/text-limits.ts'
export { type UpdateBoxInput, updateBox } from './boxes/update.ts'
export type { CatalogEvent, CatalogReport } from './events.ts'
export { fixedWindow } from './limiter.ts'
export type { CatalogMethods } from './operations/catalog-operations.ts'
export type { Image } from './operations/images.ts'
export type {
  BoxHistory,
  Credentials,
  MembersOf,
  ProviderPolicy,
  PutUserInput,
  TokenDetails,
} from './operations/inputs.ts'
export type { Member } from './operations/members.ts'
export type { IssuedToken, ListedToken, NewToken, TokenAccess } from './operations/tokens.ts'
export type { UploadLeave } from './operations/uploads.ts'
export { attachAsset } from './providers/attach-asset.ts'
export { createProvider } from './providers/create.ts'
export { deleteProvider } from './providers/delete.ts'
export { isArchitecture, type ProviderFieldRefusal, type ProviderFields } from './providers/fields.ts'
export { defaultProviders, findProvider, type ProviderAddress } from './providers/identity.ts'
export type { Asset, Checksum, Provider } from './providers/model.ts'
export { updateProvider } from './providers/update.ts'
export { isUsable } from './providers/usable.ts'
export { type Architecture, architectures, type ChecksumType, checksumTypes } from './providers/vocabulary.ts'
export { refusalCodes } from './refusal-codes.ts'
export type { CatalogContext } from './routes/context.ts'
export { type BoxQuery, type BoxRow, type Sort, sorts } from './search/row.ts'
export type { AccountDetail, BoxDetail, ProviderDetail, VersionDetail } from './service/details.ts'
export type { AccessRefusal, BoxAddress, SeeRefusal, VersionAddress } from './service/guard.ts'
export type { CatalogRecords, Loaded } from './service/load.ts'
export type { SearchQuery } from './service/search.ts'
export { finalizeUpload, type VersionUpload } from './uploads/finalize.ts'
export { type UploadStatus, uploadLifecycle } from './uploads/lifecycle.ts'
export type { Upload } from './uploads/model.ts'
export { type UploadPolicy, uploadPolicy } from './uploads/policy.ts'
export { type RequestUploadInput, requestUpload } from './uploads/request.ts'
export { type StoreUploadInput, storeUpload, uploadProblem } from './uploads/store.ts'
export { type CreateVersionInput, type CreateVersionRefusal, createVersion } from './versions/create.ts'
export { currentVersion, newestFirst } from './versions/current.ts'
export { type VersionStatus, versionLifecycle } from './versions/lifecycle.ts'
export type { Version } from './versions/model.ts'
export { compareVersionNumbers, parseVersionNumber, type VersionNumber } from './versions/number.ts'
export { releaseVersion } from './versions/release.ts'
export { revokeVersion } from './versions/revoke.ts'
export { type UpdateVersionInput, updateVersion } from './versions/update.ts'
