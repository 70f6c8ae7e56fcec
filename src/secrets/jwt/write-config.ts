import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import { algorithmNames, algorithmOf } from '../../oidc/algorithms.ts'
import type { JwtConfig, JwtEvent } from './model.ts'

/** The fields of a configuration; omitted ones are unset. */
export type JwtConfigInput = { readonly [Field in keyof JwtConfig]?: JwtConfig[Field] | undefined }

/**
 * Configures the method. A write replaces the whole configuration.
 *
 * @returns the configuration, with warnings, or `jwt_config_invalid` with the field that is wrong. Whether the provider
 * answers, and keys are valid, is not checked here.
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeJwtConfig } from 'plinth/jwt'
 *
 * const env = { now: 0, newId: () => 'a' }
 * const gitlab = { oidcDiscoveryUrl: 'https://gitlab.com', boundIssuer: 'https://gitlab.com' }
 * unwrapStep(writeJwtConfig(undefined, gitlab, env)).state.oidcDiscoveryUrl // 'https://gitlab.com'
 * const none = writeJwtConfig(undefined, {}, env)
 * none.ok || none.refusal.message.startsWith('exactly one of') // true
 * ```
 */
export function writeJwtConfig(
  _before: JwtConfig | undefined,
  input: JwtConfigInput,
  env: Env,
): Outcome<JwtConfig, readonly string[], JwtEvent, 'jwt_config_invalid'> {
  checkInput(
    input,
    {},
    {
      oidcDiscoveryUrl: '',
      oidcClientId: '',
      oidcClientSecret: '',
      jwksUrl: '',
      jwtValidationPubkeys: {},
      jwtSupportedAlgs: {},
      boundIssuer: '',
      defaultRole: '',
    },
    env,
  )
  const given = input.oidcDiscoveryUrl ?? ''
  const [discoveryUrl = ''] = given.split('.well-known/openid-configuration')
  const config: JwtConfig = {
    oidcDiscoveryUrl: discoveryUrl,
    oidcClientId: input.oidcClientId ?? '',
    oidcClientSecret: input.oidcClientSecret ?? '',
    jwksUrl: input.jwksUrl ?? '',
    jwtValidationPubkeys: [...(input.jwtValidationPubkeys ?? [])],
    jwtSupportedAlgs: [...(input.jwtSupportedAlgs ?? [])],
    boundIssuer: input.boundIssuer ?? '',
    defaultRole: (input.defaultRole ?? '').toLowerCase(),
  }
  const problem = configProblem(config)
  if (problem !== undefined) return refuse('jwt_config_invalid', problem)
  const warnings =
    discoveryUrl === given
      ? []
      : [`oidc_discovery_url was shortened to ${JSON.stringify(discoveryUrl)}, the address of the issuer`]
  return { ok: true, state: config, value: warnings, events: [{ type: 'jwt.configured' }] }
}

function configProblem(config: JwtConfig): string | undefined {
  const { oidcDiscoveryUrl, jwksUrl, jwtValidationPubkeys, oidcClientId, oidcClientSecret } = config
  const sources = [oidcDiscoveryUrl !== '', jwksUrl !== '', jwtValidationPubkeys.length > 0]
  if (sources.filter(Boolean).length !== 1)
    return "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set"
  if ((oidcClientId === '') !== (oidcClientSecret === ''))
    return "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC"
  if (oidcClientId !== '' && oidcDiscoveryUrl === '') return "'oidc_discovery_url' must be set for OIDC"
  for (const [field, url] of Object.entries({ oidc_discovery_url: oidcDiscoveryUrl, jwks_url: jwksUrl }))
    if (url !== '' && !isAddress(url)) return `'${field}' must be an https URL such as https://id.example.com`
  const unknown = config.jwtSupportedAlgs.find((name) => algorithmOf(name) === undefined)
  return unknown === undefined
    ? undefined
    : `'jwt_supported_algs': ${JSON.stringify(unknown)} is not one of ${algorithmNames.join(', ')}`
}

/** Whether a text is the address of a provider; one without TLS is for providers on the same host or network. */
const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, hash } = new URL(text)
  return (protocol === 'https:' || protocol === 'http:') && username + password + hash === ''
}
