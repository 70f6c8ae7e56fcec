import type { Seal, UnsealProgress } from './model.ts'
import type { SealState } from './rules.ts'

/**
 * The public state of a seal.
 */
export interface SealStatus {
  readonly initialized: boolean
  readonly sealed: boolean
  readonly shares: number
  readonly threshold: number
  /** How many shares were given in the attempt under way. */
  readonly progress: number
  readonly nonce: string
  readonly clusterId: string | null
}

/**
 * The status of a seal.
 */
export const sealStatus = (
  state: SealState,
  seal: Seal | undefined,
  progress: UnsealProgress,
): SealStatus => ({
  initialized: state !== 'uninitialized',
  sealed: state !== 'unsealed',
  shares: seal?.shares ?? 0,
  threshold: seal?.threshold ?? 0,
  progress: progress.given.length,
  nonce: progress.nonce,
  clusterId: state === 'unsealed' ? (seal?.clusterId ?? null) : null,
})
