import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { Attempt } from './attempt.ts'

/**
 * The generation of a root token by holders of key shares, for when every root token is lost.
 */
export interface RootGeneration extends Attempt {
  /** The one-time password that encrypts the token in the answer; only the starter of the attempt receives it. */
  readonly otp: string
}

/** Why no root token can be generated. */
export type RootGenerationRefusal = 'root_generation_under_way' | 'otp_length'

/**
 * Starts a root token generation.
 *
 * @param input - `otp`: as long as the token's text will be
 */
export function startRootGeneration(
  generation: RootGeneration | undefined,
  input: { readonly otp: string; readonly tokenLength: number },
  env: Env,
): Outcome<RootGeneration, undefined, never, RootGenerationRefusal> {
  checkInput(input, { otp: '', tokenLength: 0 }, {}, env)
  const { otp, tokenLength } = input
  if (generation !== undefined)
    return refuse('root_generation_under_way', 'root generation already in progress')
  if (!/^[\x21-\x7e]*$/.test(otp) || otp.length !== tokenLength)
    return refuse('otp_length', `the one-time password must have ${tokenLength} visible ASCII characters`)
  return answer({ nonce: env.newId('root'), otp, given: [] }, undefined)
}

/**
 * Encrypts a token with a one-time password of the same length, byte by byte; encrypting it again decrypts it.
 */
export function hideToken(token: Uint8Array, otp: Uint8Array): Uint8Array {
  return token.map((byte, at) => byte ^ (otp[at] ?? 0))
}
