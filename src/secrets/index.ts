/**
 * The secrets service: versioned and plain key/value secrets, mounts, tokens, policies, sealing, over a store and over
 * HTTP.
 *
 * Start with `createSecrets`, or `devSecrets` for tests. The pure rules of mounts, namespaces, wrapping tokens and key shares
 * (`tuneMount`, `createNamespace`, `wrappingToken`, `giveShare`) are here as well; those of secrets, tokens, policies and
 * logins have subpaths of their own.
 *
 * @packageDocumentation
 */

// Start here

export { createSecrets, type Secrets } from './service/create-secrets.ts'
export { type DevOptions, type DevSecrets, devSecrets } from './service/dev-secrets.ts'

// The rest, by kind

export {
  type CryptoPort,
  combineKey,
  type DigestAlgorithm,
  equalBytes,
  equalTexts,
  type HmacAlgorithm,
  type NodeCryptoOptions,
  nodeCrypto,
  type SignatureAlgorithm,
  type SignatureForm,
  type SigningKey,
  splitKey,
  type TotpSettings,
  totp,
  verifyTotp,
} from '../crypto/index.ts'
export type { HttpService, OpenApiDocument, RefusalCode, RequestRecord, Route } from '../http/index.ts'
export type { Answer, Env, Instant, Refusal, Refused, ServiceEvent, Timers } from '../kernel/index.ts'
export type { Store } from '../store/index.ts'
export type {
  AclRequest,
  Capability,
  CompiledRule,
  Decision,
  DecisionReason,
  Explanation,
  Operation,
  Parameters,
  PolicyEvent,
  PolicyRecord,
  PolicyRefusal,
  RuleExplanation,
  RuleSource,
} from './acl/index.ts'
export type {
  ApproleEvent,
  ApproleRole,
  ApproleRoleInput,
  ApproleRoleRefusal,
  ApproleSecretIdInput,
  ApproleSecretIdRefusal,
} from './approle/index.ts'
export type { CrossOriginVerdict } from './headers/cross-origin.ts'
export * from './headers/index.ts'
export type {
  GroupsAnswer,
  IdpConfig,
  IdpConfigInput,
  IdpConfigRefusal,
  IdpEvent,
  IdpFactor,
  IdpGroup,
  IdpNameRefusal,
  IdpOrganisation,
  IdpProvider,
  IdpUser,
  LoginRefusal,
  ProviderAnswer,
  ProviderProblem,
} from './idp/index.ts'
export type {
  JwtConfig,
  JwtConfigInput,
  JwtEvent,
  JwtRole,
  JwtRoleInput,
  JwtRoleRefusal,
} from './jwt/index.ts'
export type {
  CasRefusal,
  Described,
  KvConfig,
  KvEvent,
  MetadataCasRefusal,
  MetadataInput,
  MetadataPatch,
  PatchRefusal,
  Secret,
  SecretVersion,
  VersionStatus,
  VersionsRefusal,
  VersionView,
} from './kv2/index.ts'
export type { LockoutEvent, LockoutSettings } from './lockout/index.ts'
export {
  type Born,
  type EnableInput,
  type EnableRefusal,
  enableMount,
  freshMounts,
  type Mount,
  type MountEvent,
  type MountPathRefusal,
  type MountPolicy,
  type MountTable,
  type MoveRefusal,
  type OptionsRefusal,
  type TokenType,
  type TtlRefusal,
  type Tuned,
  type TuneInput,
  type TuneRefusal,
  tuneMount,
} from './mounts/index.ts'
export { createNamespace, type NamespaceRefusal } from './namespaces/create-namespace.ts'
export type { NamespaceEntry, NamespaceEvent, NamespaceTable } from './namespaces/model.ts'
export type { QuotaEvent, QuotaSettings, RateLimitTerms } from './quotas/model.ts'
export type { NewRateLimit } from './quotas/write-rate-limit.ts'
export {
  giveShare,
  noProgress,
  type Seal,
  type SealState,
  type SealStatus,
  type ServerRole,
  type ShareRefusal,
  type UnsealProgress,
} from './seal/index.ts'
export type { ApproleHandle } from './service/approle/operations.ts'
export type { SecretsAnswer } from './service/core/answer.ts'
export {
  type AuditDevice,
  AuditDeviceError,
  type AuditSink,
  type AuditTarget,
  type OpenedAuditSink,
} from './service/core/audit-device.ts'
export type { AuditCaller, AuditRecord } from './service/core/audit-record.ts'
export type { InitializeRefusal } from './service/core/barrier.ts'
export type { SecretsContext } from './service/core/context.ts'
export type { SecretsEvent } from './service/core/events.ts'
export type { BodyRefusal } from './service/core/exact-body.ts'
export type { ListPage } from './service/core/list-page.ts'
export type { SecretsMethods } from './service/core/methods.ts'
export type { SecretsOptions, SecretsRights } from './service/core/options.ts'
export type { PlaceRefusal } from './service/core/paths.ts'
export type { StaticSeal } from './service/core/static-seal.ts'
export type { Unsealed, UnsealRefusal } from './service/core/unsealing.ts'
export type { SecretsHandles } from './service/handles.ts'
export { type HttpProviderOptions, httpProvider } from './service/idp/http-provider.ts'
export type { LoginFailure } from './service/idp/login.ts'
export type { IdpHandle } from './service/idp/operations.ts'
export type { JwtHandle } from './service/jwt/operations.ts'
export type { KvRefusal } from './service/kv/kv-mount.ts'
export type { KvHandle, SecretRead } from './service/kv/operations.ts'
export type { PlainKvHandle, PlainSecretRead } from './service/kv/plain-operations.ts'
export type { SecretData } from './service/kv/secret-data.ts'
export type { MountsHandle } from './service/mounts/operations.ts'
export type { NamespacesHandle } from './service/namespaces/operations.ts'
export type { PoliciesHandle } from './service/policies/operations.ts'
export type {
  QuotaSettingsInput,
  QuotasHandle,
  RateLimitFields,
  RateLimitView,
} from './service/quotas/operations.ts'
export { refusalCodes } from './service/refusals/refusal-codes.ts'
export type { Initialized, InitializeInput } from './service/seal/initialize.ts'
export type { SealHandle } from './service/seal/operations.ts'
export type { TokenName } from './service/tokens/find-token.ts'
export type { IssueRefusal } from './service/tokens/issuing.ts'
export type { TokenInput, TokenMade, TokensHandle } from './service/tokens/operations.ts'
export type { TransitHandle } from './service/transit/operations.ts'
export type { UserpassHandle } from './service/userpass/operations.ts'
export { wrappingToken } from './service/wrapping/wrapping-token.ts'
export type {
  CreateTokenRefusal,
  PoliciesRefusal,
  RenewRefusal,
  Token,
  TokenEvent,
  TokenSettings,
  TokenSettingsInput,
  TokenTypeSetting,
  TokenView,
} from './tokens/index.ts'
export type { TransitConfigInput, TransitEvent, TransitKey, TransitKeyType } from './transit/index.ts'
export type { UserpassEvent, UserpassUser, UserpassUserRefusal } from './userpass/index.ts'
