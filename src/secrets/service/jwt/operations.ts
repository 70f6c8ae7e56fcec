import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { algorithmNames, identityProvider, readPem } from '../../../oidc/index.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation, showing } from '../../../operation/operation.ts'
import type { JwtConfigInput, JwtRoleInput } from '../../jwt/index.ts'
import { jwtRoleProblem } from '../../jwt/login.ts'
import { JwtConfig, JwtRole } from '../../jwt/model.ts'
import { writeJwtConfig } from '../../jwt/write-config.ts'
import { writeJwtRole } from '../../jwt/write-role.ts'
import { found } from '../core/answer.ts'
import { named } from '../core/arguments.ts'
import { changeAt } from '../core/at-mount.ts'
import type { Sited } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { tokenMade } from '../tokens/operations.ts'
import { tokenSettings } from '../tokens/settings-argument.ts'
import { admissionRefusals, admit, asLoginRefusal, chosen, configNow, reported, roles } from './admitting.ts'
import { hostOf, providerOf, sourceOf } from './providers.ts'
import { jwtConfigs, jwtRoles } from './records.ts'
import { signInOperations } from './signing-in.ts'

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

/** The operations on a method for tokens of an identity provider. */
export const jwtOperations = {
  readConfig: operation({
    takes: [],
    refuses: [],
    run: async (at: Sited) => found(await configNow(at)),
  }),
  /**
   * Configures the method, and asks the provider once: omitted fields are unset. Returns warnings.
   *
   * @example await secrets.jwt().configure({ jwtValidationPubkeys: [publicKey], defaultRole: 'dev' })
   */
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
  /**
   * The names of all roles, sorted.
   *
   * @example await secrets.jwt().listRoles()
   */
  listRoles: roles.list,
  /**
   * A role; `undefined` for none.
   *
   * @example await secrets.jwt().readRole('dev')
   */
  readRole: roles.read,
  /**
   * Creates or changes a role.
   *
   * @example await secrets.jwt().writeRole('dev', { roleType: 'jwt', userClaim: 'sub', boundAudiences: ['plinth'] })
   */
  writeRole: operation({
    takes: [name, role],
    refuses: ['mount_gone', 'jwt_role_invalid', 'token_settings_invalid'],
    run: (at: Sited, name: string, input: RoleInput) =>
      changeAt(at, (tx, env) => {
        const written = writeJwtRole(roles.memberIn(tx, at, name), { ...input, name }, env)
        if (written.ok) tx.put(jwtRoles, { mount: at.mount.id, role: written.state })
        return written
      }),
  }),
  /**
   * Deletes a role; false if it does not exist. Its tokens can no longer be renewed.
   *
   * @example await secrets.jwt().deleteRole('dev')
   */
  deleteRole: roles.delete,
  login: operation({
    takes: [login],
    refuses: [...admissionRefusals, 'jwt_login_incomplete'],
    run: (at: Sited, input: LoginInput) => reported(at, logIn(at, input)),
  }),
}

/** The operations as typed methods. */
export const jwtMethods = {
  ...jwtOperations,
  /**
   * The provider's address at which a person signs in; empty if the role does not allow the redirect.
   *
   * @example await secrets.jwt().authorizationUrl({ role: 'web', redirectUri })
   */
  authorizationUrl: signInOperations.authorizationUrl,
  /**
   * The configuration of the method, without its secret; `undefined` before it is configured.
   *
   * @example await secrets.jwt().readConfig()
   */
  readConfig: showing(jwtOperations.readConfig, (config) => {
    if (config === undefined) return undefined
    const { oidcClientSecret: _never, ...shown } = config
    return shown
  }),
  /**
   * Signs in with a token of the provider.
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
  /**
   * Finishes a sign-in with the state and the code that the browser brought back.
   *
   * @example await secrets.jwt().finishSignIn({ state, code })
   */
  finishSignIn: showing(signInOperations.finishSignIn, tokenMade),
}

/** A method for tokens of an identity provider, for programs that embed the service. */
export interface JwtHandle extends SecretsMethods<typeof jwtMethods, 'mount_gone'> {}
