import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { answerWith, asData, asKeys, asWarnings, operationRoute } from '../core/context.ts'
import { Login, listsKeys, mayWarn, orNothing } from '../core/reply-shapes.ts'
import { tokenSettingsOf } from '../tokens/settings-wire.ts'
import { asLogin } from '../tokens/wire.ts'
import { jwtOperations } from './operations.ts'
import { signInOperations } from './signing-in.ts'
import {
  AuthUrlBody,
  AuthUrlReply,
  ConfigBody,
  ConfigReply,
  configView,
  LoginBody,
  RoleBody,
  RoleReply,
  roleWire,
  unsupportedIn,
} from './wire.ts'

const notAllowed =
  'the role sends no browser to that redirect_uri: it needs role_type oidc, and the address in allowed_redirect_uris'

/** The routes of a method for tokens of an identity provider, relative to its mount. */
export const jwtRoutes = [
  operationRoute({
    id: 'jwt.read-config',
    method: 'GET',
    path: '/config',
    summary: "Read the configuration; the client's secret is never shown",
    access: 'read',
    reply: ConfigReply,
    ...orNothing,
    run: jwtOperations.readConfig,
    show: asData(configView.show),
  }),
  operationRoute({
    id: 'jwt.write-config',
    method: 'POST',
    path: '/config',
    summary: 'Configure the method; omitted fields are unset',
    description:
      'The provider is asked for its discovery document or its keys; `skip_jwks_validation` makes a failure a warning.',
    access: 'update',
    body: ConfigBody,
    refusals: ['jwt_config_invalid'],
    ...mayWarn,
    run: jwtOperations.configure,
    with: ({ body }) => {
      const problem = unsupportedIn(body)
      if (problem !== undefined) return refuse('jwt_config_invalid', problem)
      return [
        {
          oidcDiscoveryUrl: body.oidc_discovery_url,
          oidcClientId: body.oidc_client_id,
          oidcClientSecret: body.oidc_client_secret,
          jwksUrl: body.jwks_url,
          jwtValidationPubkeys: body.jwt_validation_pubkeys && [...body.jwt_validation_pubkeys],
          jwtSupportedAlgs: body.jwt_supported_algs && [...body.jwt_supported_algs],
          boundIssuer: body.bound_issuer,
          defaultRole: body.default_role,
          skipJwksValidation: body.skip_jwks_validation,
        },
      ]
    },
    show: asWarnings,
  }),
  operationRoute({
    id: 'jwt.roles',
    method: 'LIST',
    path: '/role',
    summary: 'List the roles',
    access: 'list',
    ...listsKeys,
    run: jwtOperations.listRoles,
    show: asKeys,
  }),
  operationRoute({
    id: 'jwt.read-role',
    method: 'GET',
    path: '/role/:name',
    summary: 'Read a role',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    run: jwtOperations.readRole,
    with: ({ params }) => [params.name],
    show: asData(roleWire),
  }),
  operationRoute({
    id: 'jwt.write-role',
    method: 'POST',
    path: '/role/:name',
    summary: 'Create or change a role; omitted fields keep their values, but role_type and bound_claims_type',
    access: 'create or update',
    body: RoleBody,
    refusals: ['jwt_role_invalid', 'token_settings_invalid'],
    run: jwtOperations.writeRole,
    with: ({ params, body }) => {
      const tokens = tokenSettingsOf({ ...body, token_num_uses: body.token_num_uses ?? body.num_uses }, body)
      if (!tokens.ok) return tokens
      if (body.callback_mode && body.callback_mode !== 'client')
        return refuse('jwt_role_invalid', `invalid 'callback_mode': ${body.callback_mode}`)
      return [
        params.name,
        {
          roleType: body.role_type,
          boundAudiences: body.bound_audiences && [...body.bound_audiences],
          boundSubject: body.bound_subject,
          boundClaimsType: body.bound_claims_type,
          boundClaims: body.bound_claims,
          claimMappings: body.claim_mappings,
          userClaim: body.user_claim,
          userClaimJsonPointer: body.user_claim_json_pointer,
          groupsClaim: body.groups_claim,
          oidcScopes: body.oidc_scopes && [...body.oidc_scopes],
          allowedRedirectUris: body.allowed_redirect_uris && [...body.allowed_redirect_uris],
          expirationLeewaySeconds: body.expiration_leeway,
          notBeforeLeewaySeconds: body.not_before_leeway,
          clockSkewLeewaySeconds: body.clock_skew_leeway,
          maxAgeSeconds: body.max_age,
          tokens: tokens.value,
        },
      ]
    },
  }),
  operationRoute({
    id: 'jwt.delete-role',
    method: 'DELETE',
    path: '/role/:name',
    summary: 'Delete a role; its tokens are no longer renewed',
    access: 'delete',
    run: jwtOperations.deleteRole,
    with: ({ params }) => [params.name],
  }),
  operationRoute({
    id: 'jwt.login',
    method: 'POST',
    path: '/login',
    summary: 'Sign in with a token of the identity provider',
    access: 'none',
    body: LoginBody,
    reply: Login,
    run: jwtOperations.login,
    with: ({ body, exchange }) => [{ role: body.role, jwt: body.jwt ?? '', address: exchange.peer?.address }],
    show: asLogin,
  }),
  operationRoute({
    id: 'jwt.authorization-url',
    method: 'POST',
    path: '/oidc/auth_url',
    summary: 'Start a sign-in: the address that a browser has to open',
    description: 'The address is empty, with a warning, if the role does not allow the redirect.',
    access: 'none',
    body: AuthUrlBody,
    reply: AuthUrlReply,
    run: signInOperations.authorizationUrl,
    with: ({ body }) => [
      { role: body.role, redirectUri: body.redirect_uri ?? '', clientNonce: body.client_nonce },
    ],
    show: (url, { context }) =>
      answerWith(context, { data: { auth_url: url ?? '' }, warnings: url === undefined ? [notAllowed] : [] }),
  }),
  operationRoute({
    id: 'jwt.callback',
    method: 'GET',
    path: '/oidc/callback',
    summary: 'Finish a sign-in with what the browser brought back',
    access: 'none',
    query: z.object({
      state: z.string().optional().describe('as in the address of the sign-in'),
      code: z.string().optional().describe('the code of the identity provider'),
      client_nonce: z.string().optional().describe('as at the start of the sign-in, if it had one'),
      error: z.string().optional().describe('the reason of the identity provider, if it gave no code'),
    }),
    refusals: ['jwt_refused'],
    reply: Login,
    run: signInOperations.finishSignIn,
    with: ({ query, exchange }) =>
      query.error === undefined
        ? [
            {
              state: query.state ?? '',
              code: query.code ?? '',
              clientNonce: query.client_nonce,
              address: exchange.peer?.address,
            },
          ]
        : refuse('jwt_refused', `login failed: the identity provider answered ${reasonOf(query.error)}`),
    show: asLogin,
  }),
]

/** An error code of OAuth. Callers need no token to send another text, which is not repeated. */
const reasonOf = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? error : 'with an error')
