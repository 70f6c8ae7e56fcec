import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { Attempt } from './attempt.ts'
import { type SharesRefusal, sharesProblem } from './rules.ts'

/**
 * A rekey in progress: the parameters of the new shares, and the old ones provided so far.
 */
export interface Rekey extends Attempt {
  readonly shares: number
  readonly threshold: number
  /** Whether the new shares take effect only once enough of them have been sent back. */
  readonly verify: boolean
}

/**
 * Starts a rekey.
 *
 * @returns `rekey_under_way` if another rekey has begun, `invalid_shares` for invalid numbers of shares
 */
export function startRekey(
  rekey: Rekey | undefined,
  input: { readonly shares: number; readonly threshold: number; readonly verify?: boolean | undefined },
  env: Env,
): Outcome<Rekey, undefined, never, SharesRefusal | 'rekey_under_way'> {
  checkInput(input, { shares: 0, threshold: 0 }, { verify: false }, env)
  const { shares, threshold, verify = false } = input
  if (rekey !== undefined) return refuse('rekey_under_way', 'rekey already in progress')
  const refused = sharesProblem(shares, threshold)
  if (refused) return refused
  return answer({ nonce: env.newId('rekey'), shares, threshold, verify, given: [] }, undefined)
}
