import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { bypassWarnings } from '../../idp/write-config.ts'
import { answerDone, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { Login, mayWarn, orNothing } from '../core/reply-shapes.ts'
import { tokenSettingsOf } from '../tokens/settings-wire.ts'
import { authWire } from '../tokens/wire.ts'
import { memberRoutes } from './member-routes.ts'
import { idpOperations } from './operations.ts'
import { ConfigReply, NumberReply } from './replies.ts'
import { bypassOf, ConfigBody, configWire, LoginBody } from './wire.ts'

const at = route<SecretsContext>()
type ConfigRefusal = (typeof idpOperations.configure.refuses)[number] | 'idp_config_invalid'
type LoginRefusal = (typeof idpOperations.login.refuses)[number] | 'idp_password_missing'

/** The routes of an identity-provider method, relative to its mount. */
export const idpRoutes = [
  at({
    id: 'idp.read-config',
    method: 'GET',
    path: '/config',
    summary: 'Read the configuration; the API token is never shown',
    access: 'read',
    reply: ConfigReply,
    ...orNothing,
    handle: async ({ context }) => {
      const config = await context.services.idp.readConfig(context)
      if (!config) return notFound
      const data = configWire(config, context.services.core.idpWords)
      return answerWith(context, {
        data,
        warnings: bypassWarnings(config, context.services.core.idpWords[0]),
      })
    },
  }),
  at({
    id: 'idp.write-config',
    method: 'POST',
    path: '/config',
    summary: 'Configure the method; omitted fields keep their values',
    access: 'create or update',
    body: ConfigBody,
    runs: [idpOperations.configure],
    refusals: ['idp_config_invalid'],
    ...mayWarn,
    handle: async ({ context, body }): Promise<Reply | Refused<ConfigRefusal>> => {
      const tokens = tokenSettingsOf(body, body)
      if (!tokens.ok) return tokens
      const bypass = bypassOf(body, context.services.core.idpWords)
      if ('ok' in bypass) return bypass
      const result = await idpOperations.configure.run(context, {
        orgName: body.org_name ?? body.organization,
        apiToken: body.api_token ?? body.token,
        baseUrl: body.base_url,
        bypassMfa: bypass.value,
        tokens: tokens.value,
      })
      return result.ok ? answerDone(context, result.value) : result
    },
  }),
  ...memberRoutes,
  at({
    id: 'idp.login',
    method: 'POST',
    path: '/login/*username',
    summary: 'Log in with a password and, if the provider requires one, a second factor',
    access: 'none',
    body: LoginBody,
    runs: [idpOperations.login],
    refusals: ['idp_password_missing'],
    reply: Login,
    handle: async ({ context, params, body, exchange }): Promise<Reply | Refused<LoginRefusal>> => {
      if (!body.password) return refuse('idp_password_missing', 'password cannot be empty')
      const result = await context.services.idp.login(context, {
        username: params.username,
        password: body.password,
        passcode: body.totp ?? '',
        provider: body.provider ?? '',
        nonce: body.nonce ?? '',
        address: exchange.peer?.address,
        path: context.path,
        signal: exchange.signal,
      })
      if (!result.ok) return result
      const { token, text, warnings } = result.value
      return answerWith(context, { auth: authWire(token, text), warnings })
    },
  }),
  at({
    id: 'idp.verify',
    method: 'GET',
    path: '/verify/*nonce',
    summary: 'Read the number to choose on the other device during the login with this nonce',
    access: 'none',
    reply: NumberReply,
    ...orNothing,
    handle: ({ context, params }) => {
      const { idp } = context.services
      // Samples of the API also write `verify/nonce/<value>`.
      const answer =
        idp.answerOf(context, params.nonce) ??
        (params.nonce.startsWith('nonce/')
          ? idp.answerOf(context, params.nonce.slice('nonce/'.length))
          : undefined)
      return answer === undefined ? notFound : answerWith(context, { data: { correct_answer: answer } })
    },
  }),
]
