import * as z from 'zod'
import { isObject } from '../../../kernel/objects.ts'
import type { JwtConfig, JwtRole } from '../../jwt/model.ts'
import {
  body,
  booleanField,
  integerField,
  listField,
  secondsField,
  signedSecondsField,
  textField,
  textMapField,
} from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { orNull, viewOf } from '../core/view.ts'
import { tokenSettingsFields, tokenSettingsNamed, tokenSettingsShape } from '../tokens/settings-wire.ts'

/** A PEM contains no comma, and a list of them can be one text. */
export const ConfigBody = body({
  oidc_discovery_url: textField,
  oidc_discovery_ca_pem: textField,
  oidc_client_id: textField,
  oidc_client_secret: textField,
  oidc_response_mode: textField,
  oidc_response_types: listField,
  jwks_url: textField,
  jwks_ca_pem: textField,
  jwks_pairs: z.array(z.unknown()).nullish(),
  jwt_validation_pubkeys: listField,
  jwt_supported_algs: listField,
  bound_issuer: textField,
  default_role: textField,
  namespace_in_state: booleanField,
  provider_config: z.unknown().optional(),
  skip_jwks_validation: booleanField,
})

/** Bound claims: a map of values or lists of values. */
const boundValue = z.union([z.string(), z.number(), z.boolean()])
const BoundClaimsField = z
  .record(z.string(), z.union([boundValue, z.array(boundValue)]), {
    error: 'expected a map of claims to strings, booleans, numbers, or lists of them',
  })
  .nullish()
  .transform((claims) => claims ?? undefined)

export const RoleBody = body({
  role_type: textField,
  bound_audiences: listField,
  bound_subject: textField,
  bound_claims_type: textField,
  bound_claims: BoundClaimsField,
  claim_mappings: textMapField,
  user_claim: textField,
  user_claim_json_pointer: booleanField,
  groups_claim: textField,
  oidc_scopes: listField,
  allowed_redirect_uris: listField,
  callback_mode: textField,
  verbose_oidc_logging: booleanField,
  expiration_leeway: signedSecondsField,
  not_before_leeway: signedSecondsField,
  clock_skew_leeway: signedSecondsField,
  max_age: secondsField,
  ...tokenSettingsFields,
  policies: listField,
  ttl: secondsField,
  max_ttl: secondsField,
  period: secondsField,
  num_uses: integerField,
  bound_cidrs: listField,
})

export const LoginBody = body({ role: textField, jwt: textField })
export const AuthUrlBody = body({ role: textField, redirect_uri: textField, client_nonce: textField })

const unsupported = (field: string, instead: string) => `'${field}' is not supported: ${instead}`

/** The field of a configuration that the original has and this method does not; the problem, or `undefined`. */
export function unsupportedIn(config: z.output<typeof ConfigBody>): string | undefined {
  const {
    oidc_discovery_ca_pem: ca,
    jwks_ca_pem: keysCa,
    oidc_response_mode: mode,
    jwks_pairs: pairs,
    provider_config: more,
  } = config
  if (ca || keysCa)
    return unsupported(
      ca ? 'oidc_discovery_ca_pem' : 'jwks_ca_pem',
      'start the server with NODE_EXTRA_CA_CERTS=FILE',
    )
  if (pairs?.length) return unsupported('jwks_pairs', 'mount a method for each key set, with its jwks_url')
  if (mode && mode !== 'query') return unsupported('oidc_response_mode', 'only query is, the default')
  const type = config.oidc_response_types?.find((type) => type !== 'code')
  if (type !== undefined) return unsupported('oidc_response_types', 'only code is, the default')
  return isObject(more) && Object.keys(more).length > 0
    ? unsupported(
        'provider_config',
        'groups are read from the claims of a token and from the user information',
      )
    : undefined
}

const text = z.string()
const texts = z.array(text)
const orNone = texts.nullable()

/** The readable fields of a configuration: all but the client's secret. */
export const configView = viewOf<JwtConfig>()({
  oidc_discovery_url: [text, (config) => config.oidcDiscoveryUrl],
  oidc_discovery_ca_pem: [text, () => ''],
  oidc_client_id: [text, (config) => config.oidcClientId],
  oidc_response_mode: [text, () => ''],
  oidc_response_types: [texts, () => []],
  jwks_url: [text, (config) => config.jwksUrl],
  jwks_ca_pem: [text, () => ''],
  jwks_pairs: [z.array(z.object({})), () => []],
  jwt_validation_pubkeys: [texts, (config) => config.jwtValidationPubkeys],
  jwt_supported_algs: [texts, (config) => config.jwtSupportedAlgs],
  bound_issuer: [text, (config) => config.boundIssuer],
  default_role: [text, (config) => config.defaultRole],
  namespace_in_state: [z.boolean(), () => true],
  provider_config: [z.object({}), () => ({})],
})

/** The readable fields of a role besides the settings of its tokens. */
const roleView = viewOf<JwtRole>()({
  role_type: [text, (role) => role.roleType],
  bound_audiences: [orNone, (role) => orNull(role.boundAudiences)],
  bound_subject: [text, (role) => role.boundSubject],
  bound_claims_type: [text, (role) => role.boundClaimsType],
  bound_claims: [
    z.record(text, z.union([boundValue, z.array(boundValue)])).nullable(),
    (role) => orNull(role.boundClaims),
  ],
  claim_mappings: [z.record(text, text).nullable(), (role) => orNull(role.claimMappings)],
  user_claim: [text, (role) => role.userClaim],
  user_claim_json_pointer: [z.boolean(), (role) => role.userClaimJsonPointer],
  groups_claim: [text, (role) => role.groupsClaim],
  oidc_scopes: [orNone, (role) => orNull(role.oidcScopes)],
  allowed_redirect_uris: [orNone, (role) => orNull(role.allowedRedirectUris)],
  callback_mode: [text, () => 'client'],
  verbose_oidc_logging: [z.boolean(), () => false],
  expiration_leeway: [z.int(), (role) => role.expirationLeewaySeconds],
  not_before_leeway: [z.int(), (role) => role.notBeforeLeewaySeconds],
  clock_skew_leeway: [z.int(), (role) => role.clockSkewLeewaySeconds],
  max_age: [z.int(), (role) => role.maxAgeSeconds],
})
export const roleWire = (role: JwtRole) => ({ ...roleView.show(role), ...tokenSettingsNamed(role.tokens) })

export const ConfigReply = enveloped(z.object(configView.shape))
export const RoleReply = enveloped(z.object({ ...roleView.shape, ...tokenSettingsShape }))
export const AuthUrlReply = enveloped(z.object({ auth_url: text }))
