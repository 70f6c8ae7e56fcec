/** The pure engine of sealing: shares, states, health. The service encrypts through the crypto port. */
export { type Attempt, type AttemptRefusal, giveToAttempt } from './attempt.ts'
export {
  hideToken,
  type RootGeneration,
  type RootGenerationRefusal,
  startRootGeneration,
} from './generate-root.ts'
export { giveShare, noProgress, type ShareRefusal } from './give-share.ts'
export { healthCode, type ServerRole } from './health.ts'
export type { Seal, UnsealProgress } from './model.ts'
export { type Rekey, startRekey } from './rekey.ts'
export { type SealState, type SharesRefusal, sealLifecycle, sharesProblem } from './rules.ts'
export { type SealStatus, sealStatus } from './status.ts'
