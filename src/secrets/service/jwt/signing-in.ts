import * as z from 'zod'
import { equalTexts, toHex } from '../../../crypto/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerOnce } from '../../../oidc/answered.ts'
import { authorizationAddress, exchangeCode } from '../../../oidc/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import { isRedirectAllowed, jwtRoleProblem } from '../../jwt/login.ts'
import type { JwtConfig } from '../../jwt/model.ts'
import { found } from '../core/answer.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { admissionRefusals, admit, asLoginRefusal, chosen, configNow, reported, roles } from './admitting.ts'
import { hostOf, providerOf } from './providers.ts'
import { signInsOf } from './sign-ins.ts'

export interface AuthUrlInput {
  /** The role; the default role of the configuration if omitted. */
  readonly role?: string | undefined
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string
  /** A random text that the same caller repeats in the callback. */
  readonly clientNonce?: string | undefined
}

export interface CallbackInput {
  readonly state: string
  readonly code: string
  readonly clientNonce?: string | undefined
  /** The client's IP address, where the role is bound to networks. */
  readonly address?: string | undefined
}

const text = z.string()
const authUrl = argument<AuthUrlInput>(
  'input',
  fields({ role: text.optional(), redirectUri: text, clientNonce: text.optional() }),
)
const callback = argument<CallbackInput>(
  'input',
  fields({ state: text, code: text, clientNonce: text.optional(), address: text.optional() }),
)

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
  const role = await roles.memberNow(at, about.role)
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

/** The operations on sign-ins with a browser. */
export const signInOperations = {
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
    refuses: admissionRefusals,
    run: (at: Sited, input: CallbackInput) => reported(at, finishSignIn(at, input)),
  }),
}
