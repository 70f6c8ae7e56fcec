import { noContent, reply } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { nothing } from '../../operation/operation.ts'
import { logInOperations } from '../operations/log-in.ts'
import { tokenOperations } from '../operations/tokens.ts'
import { CodeBody, TokenBody } from '../wire/bodies.ts'
import { CodeReply, TokenReply, WhoReply } from '../wire/replies.ts'
import { tokenView } from '../wire/views.ts'
import { access, credentialRoute, operationRoute, writing } from './context.ts'

/** Returns the user of a token. */
export const authenticateRoute = (api: 1 | 2) =>
  operationRoute({
    id: `v${api}.authenticate`,
    method: 'GET',
    path: `/api/v${api}/authenticate`,
    summary: 'Validate a token and read its owner',
    ...writing,
    refusals: ['unauthenticated'],
    reply: WhoReply,
    run: nothing,
    show: (_, { context: { caller } }) =>
      reply({ user: { username: caller.kind === 'user' ? caller.username : '' } }),
  })

const badToken = refuse('bad_token', 'Bad access token!')

/** Tokens by password: version 1 only. */
export const tokenRoutes = [
  credentialRoute({
    id: 'v1.token.create',
    method: 'POST',
    path: '/api/v1/authenticate',
    summary: 'Create a token with a password, and a two-factor code where one is needed',
    access: access.open,
    reply: TokenReply,
    body: TokenBody,
    run: logInOperations.logIn,
    with: ({ body: { token, two_factor, user } }) => [
      user,
      { description: token?.description, code: two_factor?.code },
    ],
    show: (made) => reply(tokenView(made)),
  }),
  credentialRoute({
    id: 'v1.token.delete',
    method: 'DELETE',
    path: '/api/v1/authenticate',
    summary: 'Delete the token of the request',
    ...writing,
    refusals: ['bad_token', 'unauthenticated'],
    success: 204,
    run: tokenOperations.deleteToken,
    with: ({ context: { token } }) => (token === undefined ? badToken : [token]),
    answer: (wasValid) => (wasValid ? noContent() : badToken),
  }),
  credentialRoute({
    id: 'v1.two-factor.request-code',
    method: 'POST',
    path: '/api/v1/two-factor/request-code',
    summary: 'Request a two-factor code',
    access: access.open,
    reply: CodeReply,
    body: CodeBody,
    run: logInOperations.requestCode,
    with: ({ body }) => [body.user, { deliveryMethod: body.two_factor.delivery_method }],
    show: ({ obfuscatedDestination }) =>
      reply({ two_factor: { obfuscated_destination: obfuscatedDestination } }),
  }),
]
