/**
 * Encryption as a service, as pure functions: named keys with versions, which of them may encrypt and decrypt, and
 * ciphertexts with a version prefix. The service encrypts and signs through the crypto port.
 *
 * @packageDocumentation
 */
export type { Answer, Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export { restoreTransitKey, transitBackupProblem } from './backup-key.ts'
export {
  configureTransitKey,
  rotateTransitKey,
  type TransitConfigInput,
  transitDeletionProblem,
  trimTransitKey,
} from './change-key.ts'
export { type ChosenVersion, versionToDecrypt, versionToEncrypt } from './choose-version.ts'
export { createTransitKey, type TransitKeyInput } from './create-key.ts'
export { type TransitKeyType, transitKeyTypes } from './key-types.ts'
export type { TransitEvent, TransitKey, TransitMaterial, TransitVersion } from './model.ts'
export {
  type TransitVersionStatus,
  transitVersionLifecycle,
  transitVersionStatus,
} from './version-lifecycle.ts'
export { readTransitText, transitText } from './versioned-text.ts'
