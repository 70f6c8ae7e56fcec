import { noContent, reply } from '../../http/index.ts'
import { type Answer, refuse } from '../../kernel/index.ts'
import { logInOperations } from '../operations/log-in.ts'
import { CodeBody, TokenBody } from '../wire/bodies.ts'
import { CodeReply, TokenReply, WhoReply } from '../wire/replies.ts'
import { tokenView } from '../wire/views.ts'
import { access, answered, define, writing } from './context.ts'

/** Returns the user of a token. */
export const authenticateRoute = (api: 1 | 2) =>
  define({
    id: `v${api}.authenticate`,
    method: 'GET',
    path: `/api/v${api}/authenticate`,
    summary: 'Validate a token and read its owner',
    ...writing,
    refusals: ['unauthenticated'],
    reply: WhoReply,
    handle: ({ context: { caller } }) =>
      reply({ user: { username: caller.kind === 'user' ? caller.username : '' } }),
  })

/** Sends Retry-After with refusals that end with time. */
export function waiting<Value, Code extends string>(answer: Answer<Value, Code>): Answer<Value, Code> {
  const seconds = answer.ok ? undefined : answer.refusal.detail?.['retryAfterSeconds']
  if (answer.ok || typeof seconds !== 'number') return answer
  const { code, message } = answer.refusal
  return refuse(code, message, { headers: { 'retry-after': String(seconds) } })
}

/** Tokens by password: version 1 only. */
export const tokenRoutes = [
  define({
    id: 'v1.token.create',
    method: 'POST',
    path: '/api/v1/authenticate',
    summary: 'Create a token with a password, and a two-factor code where one is needed',
    access: access.open,
    runs: [logInOperations.logIn],
    reply: TokenReply,
    body: TokenBody,
    handle: async ({ context, body }) => {
      const { token, two_factor, user } = body
      const input = { description: token?.description, code: two_factor?.code }
      return answered(waiting(await context.credentials.logIn(user, input)), tokenView)
    },
  }),
  define({
    id: 'v1.token.delete',
    method: 'DELETE',
    path: '/api/v1/authenticate',
    summary: 'Delete the token of the request',
    ...writing,
    refusals: ['bad_token', 'unauthenticated'],
    success: 204,
    handle: async ({ context: { credentials, token } }) =>
      token !== undefined && (await credentials.deleteToken(token))
        ? noContent()
        : refuse('bad_token', 'Bad access token!'),
  }),
  define({
    id: 'v1.two-factor.request-code',
    method: 'POST',
    path: '/api/v1/two-factor/request-code',
    summary: 'Request a two-factor code',
    access: access.open,
    runs: [logInOperations.requestCode],
    reply: CodeReply,
    body: CodeBody,
    handle: async ({ context, body }) =>
      answered(
        waiting(
          await context.credentials.requestCode(body.user, {
            deliveryMethod: body.two_factor.delivery_method,
          }),
        ),
        ({ obfuscatedDestination }) => ({ two_factor: { obfuscated_destination: obfuscatedDestination } }),
      ),
  }),
]
