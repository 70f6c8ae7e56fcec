import * as z from 'zod'
import { equalTexts, toHex } from '../../../crypto/index.ts'
import { type Answer, type Refused, refuse } from '../../../kernel/index.ts'
import { answerOnce } from '../../../oidc/answered.ts'
import {
  algorithmNames,
  authorizationAddress,
  type Claims,
  exchangeCode,
  identityProvider,
  readPem,
} from '../../../oidc/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, showing } from '../../../operation/operation.ts'
import type { JwtConfigInput, JwtRoleInput } from '../../jwt/index.ts'
import { isRedirectAllowed, jwtRoleProblem, loginWithJwt } from '../../jwt/login.ts'
import { JwtConfig, JwtRole } from '../../jwt/model.ts'
import { writeJwtConfig } from '../../jwt/write-config.ts'
import { jwtRoleName, writeJwtRole } from '../../jwt/write-role.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import { changeAt, emitAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { giveToken } from '../logins/give-token.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'
import { hostOf, providerOf, sourceOf } from './providers.ts'
import { jwtConfigs, jwtRoles } from './records.ts'
import { signInsOf } from './sign-ins.ts'

/** The fields of a role; omitted fields stay unchanged, except `roleType` and `boundClaimsType`. */
export type RoleInput = Omit<JwtRoleInput, 'name'>

/** The configuration, and whether the provider may be unreachable while it is written. */
interface ConfigInput extends JwtConfigInput {
  /** Writes the configuration with a warning if the provider does not answer. */
  readonly skipJwksValidation?: boolean | undefined
}

interface LoginInput {
  /** The role; the default role of the configuration if omitted. */
  readonly role?: string | undefined
  readonly jwt: string
  /** The client's IP address, where the role is bound to networks. */
  readonly address?: string | undefined
}

interface AuthUrlInput {
  /** The role; the default role of the configuration if omitted. */
  readonly role?: string | undefined
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  /** A random text that the same caller repeats in the callback. */
  readonly clientNonce?: string | undefined
}

interface CallbackInput {
  readonly state: string
  readonly code: string
  readonly clientNonce?: string | undefined
  /** The client's IP address, where the role is bound to networks. */
  readonly address?: string | undefined
}

const name = named('name')
const config = argument<ConfigInput>(
  'input',
  fields(JwtConfig.extend({ skipJwksValidation: z.boolean() }).partial().shape),
)
const role = argument<RoleInput>(
  'input',
  fields(
    JwtRole.omit({ name: true })
      .extend({ roleType: z.string(), boundClaimsType: z.string(), tokens: tokenSettings })
      .partial().shape,
  ),
)
const text = z.string()
const login = argument<LoginInput>(
  'input',
  fields({ role: text.optional(), jwt: text, address: text.optional() }),
)
const authUrl = argument<AuthUrlInput>(
  'input',
  fields({ role: text.optional(), redirectUri: text, clientNonce: text.optional() }),
)
const callback = argument<CallbackInput>(
  'input',
  fields({ state: text, code: text, clientNonce: text.optional(), address: text.optional() }),
)

const configNow = async ({ core, mount }: Sited) => jwtConfigs.get(await core.fresh(), mount.id)?.value.config
const roleNow = async ({ core, mount }: Sited, name: string) =>
  jwtRoles.get(await core.fresh(), mount.id, jwtRoleName(name))?.value.role

/** Whether the keys of a configuration can be read; the problem, or `undefined`. */
async function keysProblem(core: Core, config: JwtConfig): Promise<string | undefined> {
  const { jwtValidationPubkeys, oidcDiscoveryUrl } = config
  const wrong = jwtValidationPubkeys.findIndex((pem) => readPem(pem, core.crypto) === undefined)
  if (wrong >= 0)
    return `error parsing public key: number ${wrong + 1} of 'jwt_validation_pubkeys' is not a public key in PEM`
  const provider = identityProvider(sourceOf(config), hostOf(core))
  const answer = await (oidcDiscoveryUrl === '' ? provider.keys() : provider.discovery())
  if (answer.ok) return undefined
  const what = oidcDiscoveryUrl === '' ? 'jwks URL' : 'oidc discovery URL'
  return `error checking ${what}: ${answer.refusal.message}`
}

/** The configuration and the role of a login, or of the default one. */
async function chosen(at: Sited, given: string | undefined) {
  const config = await configNow(at)
  if (config === undefined) return refuse('jwt_not_configured', 'could not load configuration')
  const name = given || config.defaultRole
  if (name === '') return refuse('jwt_login_incomplete', 'missing role')
  const role = await roleNow(at, name)
  return role === undefined
    ? refuse('jwt_role_unknown', `role ${JSON.stringify(name)} could not be found`)
    : { config, role }
}

/** What a provider's refusal means for a login. */
const asLoginRefusal = ({
  refusal,
}: Refused<'token_refused' | 'code_refused' | 'provider_unavailable'>):
  | Refused<'jwt_refused'>
  | Refused<'jwt_provider_unavailable'> =>
  refusal.code === 'provider_unavailable'
    ? refuse('jwt_provider_unavailable', `the identity provider cannot be asked: ${refusal.message}`)
    : refuse('jwt_refused', `error validating token: ${refusal.message}`)

/** Gives a token to the holder of these claims, whose signature was verified. */
async function admit(at: Sited, role: JwtRole, claims: Claims, boundIssuer: string, path: string) {
  const verdict = loginWithJwt(role, { claims, boundIssuer }, at.core.env())
  if (!verdict.ok) return verdict
  const { user, groups, metadata } = verdict.value
  const given = await giveToken(at, {
    path: `${at.mount.path}${path}`,
    user: role.name,
    alias: user,
    displayName: `${at.mount.path.slice('auth/'.length)}${user}`,
    meta: metadata,
    policies: [],
    groups,
    settings: role.tokens,
  })
  if (given.ok) emitAt(at, { type: 'jwt.logged_in', role: role.name, user })
  return given
}

/** Reports the refusal of a login. */
async function reported<Value, Code extends string>(
  at: Sited,
  login: Promise<Answer<Value, Code>>,
): Promise<Answer<Value, Code>> {
  const result = await login
  if (!result.ok) emitAt(at, { type: 'jwt.login_refused', reason: result.refusal.code })
  return result
}

async function logIn(at: Sited, { role: given, jwt, address }: LoginInput) {
  const of = await chosen(at, given)
  if ('ok' in of) return of
  const { config, role } = of
  if (jwt === '') return refuse('jwt_login_incomplete', 'missing token')
  const problem = jwtRoleProblem(role, { roleType: 'jwt', address })
  if (problem !== undefined) return problem
  const { jwtSupportedAlgs: algorithms, boundIssuer } = config
  const verified = await providerOf(at.core)(config).verify(
    jwt,
    algorithms.length > 0 ? algorithms : algorithmNames,
  )
  return verified.ok ? admit(at, role, verified.value, boundIssuer, 'login') : asLoginRefusal(verified)
}

/** A digest under which the nonce of a caller is stored with a sign-in. */
const digestOf = ({ crypto }: Core, nonce: string | undefined): string =>
  nonce === undefined || nonce === '' ? '' : toHex(crypto.sha256(nonce))

/** The algorithms of sign-ins, where providers use RS256 unless they say otherwise. */
const signInAlgorithms = ({ jwtSupportedAlgs }: JwtConfig): readonly string[] =>
  jwtSupportedAlgs.length > 0 ? jwtSupportedAlgs : ['RS256']

const notOidc = () => refuse('jwt_not_configured', 'OIDC login is not configured for this mount')

async function authorizationUrl(at: Sited, { role: given, redirectUri, clientNonce }: AuthUrlInput) {
  const { core, mount } = at
  const of = await chosen(at, given)
  if ('ok' in of) return of
  const { config, role } = of
  if (config.oidcClientId === '') return notOidc()
  if (redirectUri === '') return refuse('jwt_login_incomplete', 'missing redirect_uri')
  if (role.roleType !== 'oidc' || !isRedirectAllowed(role.allowedRedirectUris, redirectUri))
    return found(undefined)
  const discovery = await providerOf(core)(config).discovery()
  if (!discovery.ok) return asLoginRefusal(discovery)
  const { authorizationUrl: endpoint } = discovery.value
  if (endpoint === undefined) return notOidc()
  const about = { mount: mount.id, role: role.name, redirectUri, clientNonce: digestOf(core, clientNonce) }
  return found(
    authorizationAddress(endpoint, {
      ...signInsOf(core).start(about),
      clientId: config.oidcClientId,
      redirectUri,
      scopes: role.oidcScopes,
      maxAgeSeconds: role.maxAgeSeconds || undefined,
    }),
  )
}

async function finishSignIn(at: Sited, { state, code, clientNonce, address }: CallbackInput) {
  const { core, mount } = at
  const config = await configNow(at)
  if (config === undefined) return refuse('jwt_not_configured', 'could not load configuration')
  const signIn = signInsOf(core).read(state)
  const ended = () => refuse('jwt_refused', 'login failed: expired or missing OAuth state')
  if (signIn?.about.mount !== mount.id) return ended()
  const { about, id, expiresAt } = signIn
  if (about.clientNonce !== '' && !equalTexts(about.clientNonce, digestOf(core, clientNonce)))
    return refuse('jwt_refused', 'invalid client_nonce')
  const role = await roleNow(at, about.role)
  if (role === undefined)
    return refuse('jwt_role_unknown', `role ${JSON.stringify(about.role)} could not be found`)
  const problem = jwtRoleProblem(role, { roleType: 'oidc', address })
  if (problem !== undefined) return problem
  if (code === '') return refuse('jwt_refused', 'login failed: no code received from the identity provider')
  const flow = signInsOf(core)
  const exchanged = await exchangeCode(
    providerOf(core)(config),
    {
      clientId: config.oidcClientId,
      clientSecret: config.oidcClientSecret,
      code,
      redirectUri: about.redirectUri,
      verifier: flow.verifierOf(id),
      nonce: flow.nonceOf(id),
      algorithms: signInAlgorithms(config),
      maxAgeSeconds: role.maxAgeSeconds || undefined,
    },
    hostOf(core),
  )
  if (!exchanged.ok) return asLoginRefusal(exchanged)
  // Also if two callbacks arrive at two servers at once, one of them is answered.
  const first = await changeAt(at, (tx) => (answerOnce(tx, signIn) ? done(undefined) : ended()))
  if (!first.ok) return first
  core.sweeper.at(expiresAt)
  return admit(at, role, exchanged.value, config.boundIssuer, 'oidc/callback')
}

const loginRefusals = [
  'mount_gone',
  'permission_denied',
  'jwt_not_configured',
  'jwt_login_incomplete',
  'jwt_role_unknown',
  'jwt_role_type_refused',
  'jwt_refused',
  'jwt_provider_unavailable',
  'login_root',
  'policy_internal',
  'past_max_ttl',
] as const

/** The operations on a method for tokens of an identity provider. */
export const jwtOperations = {
  readConfig: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await configNow(at)),
  }),
  /** Configures the method, and asks the provider once: omitted fields are unset. Returns warnings. */
  configure: operation({
    takes: [config],
    refuses: ['mount_gone', 'jwt_config_invalid'],
    run: async (at: Sited, { skipJwksValidation = false, ...input }: ConfigInput) => {
      const wanted = writeJwtConfig(undefined, input, at.core.env())
      if (!wanted.ok) return wanted
      const problem = await keysProblem(at.core, wanted.state)
      if (problem !== undefined && (!skipJwksValidation || wanted.state.jwtValidationPubkeys.length > 0))
        return refuse('jwt_config_invalid', problem)
      const written = await changeAt(at, (tx, env) => {
        const before = tx.get(jwtConfigs, at.mount.id)?.value.config
        const outcome = writeJwtConfig(before, input, env)
        if (outcome.ok) tx.put(jwtConfigs, { mount: at.mount.id, config: outcome.state })
        return outcome
      })
      return written.ok && problem !== undefined ? found([...written.value, problem]) : written
    },
  }),
  /** The names of all roles, sorted. */
  listRoles: operation({
    takes: [],
    refuses: [],
    run: async ({ core, mount }: Sited) =>
      found(jwtRoles.list(await core.fresh(), mount.id).map(({ value }) => value.role.name)),
  }),
  /** A role; `undefined` for none. */
  readRole: operation({
    takes: [name],
    refuses: [],
    run: async (at: Sited, name: string) => found(await roleNow(at, name)),
  }),
  /** Creates or changes a role. */
  writeRole: operation({
    takes: [name, role],
    refuses: ['mount_gone', 'jwt_role_invalid', 'token_settings_invalid'],
    run: (at: Sited, name: string, input: RoleInput) =>
      changeAt(at, (tx, env) => {
        const before = tx.get(jwtRoles, at.mount.id, jwtRoleName(name))?.value.role
        const written = writeJwtRole(before, { ...input, name }, env)
        if (written.ok) tx.put(jwtRoles, { mount: at.mount.id, role: written.state })
        return written
      }),
  }),
  /** Deletes a role; false if it does not exist. Its tokens can no longer be renewed. */
  deleteRole: operation({
    takes: [name],
    refuses: ['mount_gone'],
    run: (at: Sited, name: string) =>
      changeAt(at, (tx) => done(tx.delete(jwtRoles, at.mount.id, jwtRoleName(name)))),
  }),
  login: operation({
    takes: [login],
    refuses: loginRefusals,
    run: (at: Sited, input: LoginInput) => reported(at, logIn(at, input)),
  }),
  /**
   * Starts a sign-in with a browser, and returns the address to open; `undefined` if the role is not one of sign-ins, or
   * does not allow the redirect.
   */
  authorizationUrl: operation({
    takes: [authUrl],
    refuses: [
      'jwt_not_configured',
      'jwt_login_incomplete',
      'jwt_role_unknown',
      'jwt_refused',
      'jwt_provider_unavailable',
    ],
    run: authorizationUrl,
  }),
  finishSignIn: operation({
    takes: [callback],
    refuses: [
      'mount_gone',
      'permission_denied',
      'jwt_not_configured',
      'jwt_role_unknown',
      'jwt_role_type_refused',
      'jwt_refused',
      'jwt_provider_unavailable',
      'login_root',
      'policy_internal',
      'past_max_ttl',
    ],
    run: (at: Sited, input: CallbackInput) => reported(at, finishSignIn(at, input)),
  }),
}

/** The operations as typed methods. */
export const jwtMethods = {
  ...jwtOperations,
  /** The configuration of the method, without its secret; `undefined` before it is configured. */
  readConfig: showing(jwtOperations.readConfig, (config) => {
    if (config === undefined) return undefined
    const { oidcClientSecret: _never, ...shown } = config
    return shown
  }),
  /**
   * Logs in with a token of the provider.
   *
   * @example
   * ```ts
   * import { unwrap } from 'plinth'
   * import { devSecrets } from 'plinth/secrets'
   *
   * const { service } = await devSecrets({ fetch: async () => Response.json({ keys: [] }) })
   * await service.mounts.enable({ path: 'auth/jwt/', type: 'jwt' })
   * const jwt = service.jwt()
   * await jwt.configure({ jwksUrl: 'https://token.actions.githubusercontent.com/.well-known/jwks' })
   * await jwt.writeRole('deploy', { roleType: 'jwt', userClaim: 'actor', boundClaims: { repository: 'acme/web' } })
   * const login = await jwt.login({ role: 'deploy', jwt: 'eyJhbGciOiJub25lIn0.e30.' })
   * login.ok || login.refusal.code // 'jwt_refused'
   * await service.close()
   * ```
   */
  login: showing(jwtOperations.login, tokenMade),
  /** Finishes a sign-in with the state and the code that the browser brought back. */
  finishSignIn: showing(jwtOperations.finishSignIn, tokenMade),
}

/** A method for tokens of an identity provider, for programs that embed the service. */
export interface JwtHandle extends SecretsMethods<typeof jwtMethods, 'mount_gone'> {}
