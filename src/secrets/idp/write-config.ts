import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { type TokenSettings, tokenSettingsProblem, unsetTokenSettings } from '../tokens/token-settings.ts'
import type { IdpConfig, IdpEvent } from './model.ts'

/** The fields a write gives; what it leaves out stays as it is. @public */
export interface IdpConfigInput {
  readonly orgName?: string | undefined
  readonly apiToken?: string | undefined
  readonly baseUrl?: string | undefined
  readonly bypassMfa?: boolean | undefined
  readonly tokens?: { readonly [Field in keyof TokenSettings]?: TokenSettings[Field] | undefined } | undefined
}

/** Why a configuration was not written. @public */
export type IdpConfigRefusal = 'idp_org_missing' | 'idp_base_url_invalid' | 'token_settings_invalid'

/**
 * Configures the method. The organisation's name belongs to every write; other fields that are left out keep
 * their values.
 *
 * @returns the configuration and a warning while factors are bypassed, or what is wrong
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
 *
 * @public
 */
export function writeIdpConfig(
  config: IdpConfig | undefined,
  input: IdpConfigInput,
  _env?: Env,
): Outcome<IdpConfig, readonly string[], IdpEvent, IdpConfigRefusal> {
  if (input.orgName === undefined || input.orgName.trim() === '')
    return refuse('idp_org_missing', 'org_name is missing')
  const host = input.baseUrl ?? config?.baseUrl ?? ''
  if (host !== '' && !isHost(host)) {
    return refuse(
      'idp_base_url_invalid',
      'Error parsing given base_url: expected a domain such as "example.com", or its address',
    )
  }
  const given = Object.fromEntries(
    Object.entries(input.tokens ?? {}).filter(([, value]) => value !== undefined),
  )
  const tokens: TokenSettings = { ...(config?.tokens ?? unsetTokenSettings), ...given }
  const wrong = tokenSettingsProblem(tokens)
  if (wrong) return wrong
  const next: IdpConfig = {
    orgName: input.orgName.trim(),
    apiToken: input.apiToken ?? config?.apiToken ?? '',
    baseUrl: host,
    bypassMfa: input.bypassMfa ?? config?.bypassMfa ?? false,
    tokens,
  }
  return step(config ?? next, (draft, emit) => {
    Object.assign(draft, next)
    emit({ type: 'idp.configured' })
    return bypassWarnings(next)
  })
}

/**
 * What every write and read of a configuration that bypasses factors says.
 *
 * @example
 * ```ts
 * import { bypassWarnings } from 'plinth/idp'
 *
 * bypassWarnings({ bypassMfa: true }).length // 1
 * bypassWarnings({ bypassMfa: false }) // []
 * ```
 *
 * @public
 */
export const bypassWarnings = ({ bypassMfa }: Pick<IdpConfig, 'bypassMfa'>): readonly string[] =>
  bypassMfa ? ['The identity provider’s second factor is bypassed: a password alone logs in.'] : []

const isHost = (text: string): boolean => {
  if (!URL.canParse(text.includes('://') ? text : `https://${text}`)) return false
  const url = new URL(text.includes('://') ? text : `https://${text}`)
  return (
    /^https?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === ''
  )
}
