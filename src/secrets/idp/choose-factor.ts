import { type Refused, refuse } from '../../kernel/index.ts'
import type { IdpFactor } from './provider.ts'

/** The types of factors that a login can use. */
const passcode = 'token:software:totp'
const push = 'push'

/** The chosen factor, and whether a passcode is sent with it. */
export interface FactorChoice {
  readonly factorId: string
  readonly withPasscode: boolean
}

/**
 * Chooses the second factor: a passcode if one was given, otherwise a push by the provider itself. Of several factors
 * of a kind the last is used.
 *
 * @param wanted - the factor provider the user asks for; empty for any
 * @param supported - the names of all factor providers, upper case; the first is not the identity provider itself
 */
export function chooseFactor(
  factors: readonly IdpFactor[],
  wanted: string,
  hasPasscode: boolean,
  supported: readonly string[],
):
  | { readonly ok: true; readonly value: FactorChoice }
  | Refused<'idp_factor_missing' | 'idp_passcode_missing'> {
  const [foreign = '', ...own] = supported
  const isOwn = (name: string) => own.includes(name)
  const usable = factors.filter(
    ({ provider }) =>
      supported.includes(provider) &&
      (wanted === '' || provider === wanted || (isOwn(provider) && isOwn(wanted))),
  )
  const totp = usable.findLast(({ type }) => type === passcode)
  const pushed = usable.findLast(({ type, provider }) => type === push && isOwn(provider))
  if (hasPasscode && totp) return { ok: true, value: { factorId: totp.id, withPasscode: true } }
  if (pushed) return { ok: true, value: { factorId: pushed.id, withPasscode: false } }
  if (totp) return refuse('idp_passcode_missing', "'totp' passcode parameter is required to perform MFA")
  const where = wanted === '' ? `${foreign} or ${own[0] ?? ''}` : wanted
  return refuse(
    'idp_factor_missing',
    `${own[0] ?? 'the provider'} requires a second factor that this login cannot use; set up a passcode (${where}) or push (${own[0] ?? ''})`,
  )
}
