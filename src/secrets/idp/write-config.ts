import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { changedTokenSettings, type TokenSettingsInput } from '../tokens/token-settings.ts'
import type { IdpConfig, IdpEvent } from './model.ts'

/** The fields of a write; omitted fields stay unchanged. */
export interface IdpConfigInput {
  readonly orgName?: string | undefined
  readonly apiToken?: string | undefined
  readonly baseUrl?: string | undefined
  readonly bypassMfa?: boolean | undefined
  readonly tokens?: TokenSettingsInput | undefined
}

/** Why a configuration was not written. */
export type IdpConfigRefusal = 'idp_org_missing' | 'idp_base_url_invalid' | 'token_settings_invalid'

/**
 * Configures the method. The organisation's name is required in every write; other omitted fields keep their values.
 *
 * @returns the configuration, with a warning if factors are bypassed, or a refusal
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeIdpConfig } from 'plinth/idp'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const written = writeIdpConfig(undefined, { orgName: 'acme', tokens: { ttlSeconds: 3600 } }, env)
 * unwrapStep(written).state.tokens.ttlSeconds // 3600
 * writeIdpConfig(undefined, {}, env).ok // false
 * ```
 */
export function writeIdpConfig(
  config: IdpConfig | undefined,
  input: IdpConfigInput,
  _env?: Env,
  policy: { readonly word?: string | undefined } = {},
): Outcome<IdpConfig, readonly string[], IdpEvent, IdpConfigRefusal> {
  checkInput(input, {}, { orgName: '', apiToken: '', baseUrl: '', bypassMfa: false, tokens: {} })
  const orgName = input.orgName?.trim() ?? ''
  if (orgName === '') return refuse('idp_org_missing', 'org_name is missing')
  const host = input.baseUrl ?? config?.baseUrl ?? ''
  if (host !== '' && !isHost(host)) {
    return refuse(
      'idp_base_url_invalid',
      'Error parsing given base_url: expected a domain such as "example.com", or a URL',
    )
  }
  const tokens = changedTokenSettings(config?.tokens, input.tokens)
  if (!tokens.ok) return tokens
  const next: IdpConfig = {
    orgName,
    apiToken: input.apiToken ?? config?.apiToken ?? '',
    baseUrl: host,
    bypassMfa: input.bypassMfa ?? config?.bypassMfa ?? false,
    tokens: tokens.value,
  }
  return step(config ?? next, (draft, emit) => {
    Object.assign(draft, next)
    emit({ type: 'idp.configured' })
    return bypassWarnings(next, policy.word)
  })
}

/**
 * The warning of every write and read of a configuration that bypasses factors.
 *
 * @param word - the word for the method, which is a part of the field's name
 *
 * @example
 * ```ts
 * import { bypassWarnings } from 'plinth/idp'
 *
 * bypassWarnings({ bypassMfa: true })[0]?.startsWith('bypass_idp_mfa is set') // true
 * bypassWarnings({ bypassMfa: false }) // []
 * ```
 */
export const bypassWarnings = (
  { bypassMfa }: Pick<IdpConfig, 'bypassMfa'>,
  word = 'idp',
): readonly string[] =>
  bypassMfa ? [`bypass_${word}_mfa is set: the second factor is bypassed, and a password alone signs in`] : []

const isHost = (text: string): boolean => {
  const address = text.includes('://') ? text : `https://${text}`
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return /^https?:$/.test(url.protocol) && url.username + url.password + url.search + url.hash === ''
}
