import { refuse } from '../../../kernel/index.ts'
import { bypassWarnings } from '../../idp/write-config.ts'
import { answerWith, asData, asWarnings, notFound, operationRoute } from '../core/context.ts'
import { Login, mayWarn, orNothing } from '../core/reply-shapes.ts'
import { tokenSettingsOf } from '../tokens/settings-wire.ts'
import { asLogin } from '../tokens/wire.ts'
import { memberRoutes } from './member-routes.ts'
import { idpOperations, idpRouteOperations } from './operations.ts'
import { ConfigReply, NumberReply } from './replies.ts'
import { bypassOf, ConfigBody, configWire, LoginBody } from './wire.ts'

/** The routes of an identity-provider method, relative to its mount. */
export const idpRoutes = [
  operationRoute({
    id: 'idp.read-config',
    method: 'GET',
    path: '/config',
    summary: 'Read the configuration; the API token is never shown',
    access: 'read',
    reply: ConfigReply,
    ...orNothing,
    run: idpOperations.readConfig,
    show: (config, { context }) => {
      if (!config) return notFound
      const { idpWords } = context.core
      const data = configWire(config, idpWords)
      return answerWith(context, { data, warnings: bypassWarnings(config, idpWords[0]) })
    },
  }),
  operationRoute({
    id: 'idp.write-config',
    method: 'POST',
    path: '/config',
    summary: 'Configure the method; omitted fields keep their values',
    access: 'create or update',
    body: ConfigBody,
    refusals: ['idp_config_invalid', 'token_settings_invalid'],
    ...mayWarn,
    run: idpOperations.configure,
    with: ({ context, body }) => {
      const tokens = tokenSettingsOf(body, body)
      if (!tokens.ok) return tokens
      const bypass = bypassOf(body, context.core.idpWords)
      if ('ok' in bypass) return bypass
      return [
        {
          orgName: body.org_name ?? body.organization,
          apiToken: body.api_token ?? body.token,
          baseUrl: body.base_url,
          bypassMfa: bypass.value,
          tokens: tokens.value,
        },
      ]
    },
    show: asWarnings,
  }),
  ...memberRoutes,
  operationRoute({
    id: 'idp.login',
    method: 'POST',
    path: '/login/*username',
    summary: 'Sign in with a password and, if the provider requires one, a second factor',
    access: 'none',
    body: LoginBody,
    refusals: ['idp_password_missing'],
    reply: Login,
    run: idpOperations.login,
    with: ({ params, body, exchange }) =>
      body.password
        ? [
            {
              username: params.username,
              password: body.password,
              passcode: body.totp,
              provider: body.provider,
              nonce: body.nonce,
              address: exchange.peer?.address,
              signal: exchange.signal,
            },
          ]
        : refuse('idp_password_missing', 'password cannot be empty'),
    show: asLogin,
  }),
  operationRoute({
    id: 'idp.verify',
    method: 'GET',
    path: '/verify/*nonce',
    summary: 'Read the number to choose on the other device during the login with this nonce',
    access: 'none',
    reply: NumberReply,
    ...orNothing,
    run: idpRouteOperations.answerOf,
    with: ({ params }) => [params.nonce],
    show: asData((answer) => ({ correct_answer: answer })),
  }),
]
