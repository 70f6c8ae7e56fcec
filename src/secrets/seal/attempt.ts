import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { giveShare, type ShareRefusal } from './give-share.ts'
import type { Seal } from './model.ts'

/**
 * An operation by holders of key shares on an unsealed service: new shares, a new root token. Kept in memory only.
 */
export interface Attempt {
  /** Identifies this attempt: each share must name it. */
  readonly nonce: string
  /** The current shares given so far, in hexadecimal. */
  readonly given: readonly string[]
}

/** Why a share was refused for an attempt. */
export type AttemptRefusal = ShareRefusal | 'attempt_not_started' | 'attempt_nonce' | 'share_again'

/**
 * Accepts one of the current shares for an attempt.
 *
 * @param input - `what`: the name of the attempt for messages: `rekey`, `root generation`
 * @param seal - how many shares are required, and the length of each
 * @returns whether there are enough now; the caller then combines them, and ends the attempt even if they are wrong
 */
export function giveToAttempt<A extends Attempt>(
  attempt: A | undefined,
  input: { readonly what: string; readonly share: string; readonly nonce: string },
  env: Env,
  seal: Pick<Seal, 'threshold' | 'shareBytes'>,
): Outcome<A, { readonly enough: boolean }, never, AttemptRefusal> {
  const { what } = input
  if (attempt === undefined) return refuse('attempt_not_started', `no ${what} in progress`)
  if (input.nonce !== attempt.nonce)
    return refuse('attempt_nonce', `incorrect nonce supplied: it is not that of the ${what} in progress`)
  const taken = giveShare(attempt, { share: input.share }, env, seal)
  if (!taken.ok) return taken
  if (taken.state === attempt)
    return refuse('share_again', `given key has already been provided during this ${what}`)
  return { ...taken, state: { ...attempt, given: taken.state.given } }
}
