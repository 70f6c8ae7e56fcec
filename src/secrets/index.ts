/**
 * The secrets service: versioned and plain key/value secrets, mounts, tokens, policies, sealing, over a store and over
 * HTTP.
 *
 * @packageDocumentation
 */
export {
  type CryptoPort,
  combineKey,
  type DigestAlgorithm,
  equalBytes,
  equalTexts,
  type HmacAlgorithm,
  type NodeCryptoOptions,
  nodeCrypto,
  splitKey,
  type TotpSettings,
  totp,
  verifyTotp,
} from '../crypto/index.ts'
export * from './headers/index.ts'
export { type HttpProviderOptions, httpProvider } from './idp/http-provider.ts'
export type { AuditRecord } from './service/audit.ts'
export { createSecrets, type Secrets } from './service/create-secrets.ts'
export { type DevOptions, type DevSecrets, devSecrets } from './service/dev-secrets.ts'
export type { SecretsEvent } from './service/events.ts'
export type { MountsHandle, PoliciesHandle, TokenInput, TokenMade, TokensHandle } from './service/handles.ts'
export type { Initialized, InitializeInput } from './service/initialize.ts'
export type { KvHandle, PlainKvHandle, SecretData, SecretRead } from './service/kv-handles.ts'
export type { IdpHandle, NamespacesHandle } from './service/login-handles.ts'
export type { SecretsOptions } from './service/options.ts'
