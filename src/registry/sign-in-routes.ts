import * as z from 'zod'
import { type Exchange, redirect, reply } from '../http/index.ts'
import type { RegistryContext } from './context.ts'
import { access, operationRoute } from './define-route.ts'
import { loginClient, signInOperations } from './operations/sign-in.ts'

const root = '/plinth/v1/login'

/** The login section of the discovery document of a registry with an identity provider. */
export const loginAt = (base: string) => ({
  client: loginClient.id,
  grant_types: ['authz_code' as const],
  authz: `${base}${root}/authorize`,
  token: `${base}${root}/token`,
  ports: loginClient.ports,
})

/** Where the provider sends browsers back to. */
const callbackOf = (exchange: Exchange, { base }: RegistryContext): string =>
  `${/^https?:/.test(base) ? base : `${exchange.origin}${base}`}${root}/callback`

const text = z.string().optional()

/** The endpoints of `terraform login`: OAuth 2.0 with a code and PKCE. */
export const signInRoutes = [
  operationRoute({
    id: 'registry.authorize',
    method: 'GET',
    path: `${root}/authorize`,
    summary: 'Sign in with a browser: redirects to the identity provider',
    access: access.none,
    query: z.object({
      response_type: text.describe('`code`'),
      client_id: text.describe('as in the discovery document'),
      redirect_uri: text.describe('an http address of the host of the browser, or `/sign-in` of the console'),
      state: text.describe('returned unchanged'),
      code_challenge: text.describe('the SHA-256 of the verifier, as base64url'),
      code_challenge_method: text.describe('`S256`'),
    }),
    success: 302,
    run: signInOperations.authorize,
    with: ({ query, context, exchange }) => [query, callbackOf(exchange, context)],
    show: (address) => redirect(302, address),
  }),
  operationRoute({
    id: 'registry.signedIn',
    method: 'GET',
    path: `${root}/callback`,
    summary: 'Where the identity provider sends the browser back to',
    access: access.none,
    query: z.object({ state: text, code: text }),
    success: 302,
    run: signInOperations.signedIn,
    with: ({ query, context, exchange }) => [query, callbackOf(exchange, context)],
    show: (address) => redirect(302, address),
  }),
  operationRoute({
    id: 'registry.exchangeCode',
    method: 'POST',
    path: `${root}/token`,
    summary: 'Exchange the code of a login for a token',
    description: 'A form, or JSON. A code is valid for a minute, and once.',
    access: access.none,
    body: z.object({
      grant_type: z.literal('authorization_code'),
      client_id: z.literal(loginClient.id),
      code: z.string(),
      code_verifier: z.string(),
      redirect_uri: z.string(),
    }),
    reply: z.object({ access_token: z.string(), token_type: z.literal('bearer'), expires_in: z.number() }),
    run: signInOperations.exchange,
    with: ({ body }) => [{ code: body.code, verifier: body.code_verifier, redirectUri: body.redirect_uri }],
    show: ({ token, expiresInSeconds }) =>
      reply(
        { access_token: token, token_type: 'bearer', expires_in: expiresInSeconds },
        { headers: { 'cache-control': 'no-store', pragma: 'no-cache' } },
      ),
  }),
]
