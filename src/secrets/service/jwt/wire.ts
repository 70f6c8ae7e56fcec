import * as z from 'zod'
import { algorithmNames } from '../../../oidc/index.ts'
import type { JwtConfig, JwtRole } from '../../jwt/model.ts'
import {
  body,
  booleanField,
  integerField,
  isMap,
  listField,
  secondsField,
  signedSecondsField,
  textField,
  textMapField,
} from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
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
  jwt_validation_pubkeys: listField,
  jwt_supported_algs: listField,
  bound_issuer: textField,
  default_role: textField,
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
    provider_config: more,
  } = config
  if (ca || keysCa)
    return unsupported(
      ca ? 'oidc_discovery_ca_pem' : 'jwks_ca_pem',
      'start the server with NODE_EXTRA_CA_CERTS=FILE',
    )
  if (mode && mode !== 'query') return unsupported('oidc_response_mode', 'only query is, the default')
  const type = config.oidc_response_types?.find((type) => type !== 'code')
  if (type !== undefined) return unsupported('oidc_response_types', 'only code is, the default')
  return isMap(more) && Object.keys(more).length > 0
    ? unsupported(
        'provider_config',
        'groups are read from the claims of a token and from the user information',
      )
    : undefined
}

/** The readable fields of a configuration: all but the client's secret. */
export const configWire = (config: JwtConfig) => ({
  oidc_discovery_url: config.oidcDiscoveryUrl,
  oidc_discovery_ca_pem: '',
  oidc_client_id: config.oidcClientId,
  oidc_response_mode: '',
  oidc_response_types: [],
  jwks_url: config.jwksUrl,
  jwks_ca_pem: '',
  jwt_validation_pubkeys: config.jwtValidationPubkeys,
  jwt_supported_algs: config.jwtSupportedAlgs,
  bound_issuer: config.boundIssuer,
  default_role: config.defaultRole,
  provider_config: {},
})

export const roleWire = (role: JwtRole) => ({
  role_type: role.roleType,
  bound_audiences: role.boundAudiences,
  bound_subject: role.boundSubject,
  bound_claims_type: role.boundClaimsType,
  bound_claims: role.boundClaims,
  claim_mappings: role.claimMappings,
  user_claim: role.userClaim,
  user_claim_json_pointer: role.userClaimJsonPointer,
  groups_claim: role.groupsClaim,
  oidc_scopes: role.oidcScopes,
  allowed_redirect_uris: role.allowedRedirectUris,
  callback_mode: 'client',
  verbose_oidc_logging: false,
  expiration_leeway: role.expirationLeewaySeconds,
  not_before_leeway: role.notBeforeLeewaySeconds,
  clock_skew_leeway: role.clockSkewLeewaySeconds,
  max_age: role.maxAgeSeconds,
  ...tokenSettingsNamed(role.tokens),
})

const text = z.string()
const texts = z.array(text)

export const ConfigReply = enveloped(
  z.object({
    oidc_discovery_url: text,
    oidc_discovery_ca_pem: text,
    oidc_client_id: text,
    oidc_response_mode: text,
    oidc_response_types: texts,
    jwks_url: text,
    jwks_ca_pem: text,
    jwt_validation_pubkeys: texts,
    jwt_supported_algs: z.array(z.enum(algorithmNames)),
    bound_issuer: text,
    default_role: text,
    provider_config: z.object({}),
  }),
)

export const RoleReply = enveloped(
  z.object({
    role_type: text,
    bound_audiences: texts,
    bound_subject: text,
    bound_claims_type: text,
    bound_claims: z.record(text, z.union([boundValue, z.array(boundValue)])),
    claim_mappings: z.record(text, text),
    user_claim: text,
    user_claim_json_pointer: z.boolean(),
    groups_claim: text,
    oidc_scopes: texts,
    allowed_redirect_uris: texts,
    callback_mode: text,
    verbose_oidc_logging: z.boolean(),
    expiration_leeway: z.int(),
    not_before_leeway: z.int(),
    clock_skew_leeway: z.int(),
    max_age: z.int(),
    ...tokenSettingsShape,
  }),
)
export const AuthUrlReply = enveloped(z.object({ auth_url: text }))
