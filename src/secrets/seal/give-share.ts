import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { Seal, UnsealProgress } from './model.ts'

/** No share given yet. */
export const noProgress: UnsealProgress = { nonce: '', given: [] }

/** Why a share was refused. */
export type ShareRefusal = 'share_not_text' | 'share_length'

/**
 * Accepts one share towards unsealing. A repeated share changes nothing.
 *
 * @param input - `share`: the share in hexadecimal
 * @returns whether there are enough now; the caller then combines them and starts over, even if they are wrong
 */
export function giveShare(
  progress: UnsealProgress,
  input: { readonly share: string },
  env: Env,
  seal: Pick<Seal, 'threshold' | 'shareBytes'>,
): Outcome<UnsealProgress, { readonly enough: boolean }, never, ShareRefusal> {
  checkInput(input, { share: '' }, {}, env)
  const share = input.share.toLowerCase()
  if (!/^([0-9a-f]{2})+$/.test(share))
    return refuse('share_not_text', "'key' must be a valid hex or base64 string")
  const bytes = share.length / 2
  if (bytes !== seal.shareBytes)
    return refuse(
      'share_length',
      `key is ${bytes < seal.shareBytes ? 'shorter' : 'longer'} than the ${seal.shareBytes} bytes of a key share`,
    )
  if (progress.given.includes(share)) return answer(progress, { enough: false })
  const next: UnsealProgress = {
    nonce: progress.nonce === '' ? env.newId('unseal') : progress.nonce,
    given: [...progress.given, share],
  }
  return { ok: true, state: next, value: { enough: next.given.length >= seal.threshold }, events: [] }
}
