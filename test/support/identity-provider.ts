import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The algorithms with which the provider signs. */
type Signing = 'RS256' | 'RS384' | 'RS512' | 'PS256' | 'PS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

const makeKeys: Readonly<Record<'R' | 'P' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA', () => Pair>> = {
  R: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  P: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ES512: () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
}

interface Pair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** A key of the provider. */
export interface ProviderKey extends Pair {
  readonly kid: string
  readonly alg: Signing
}

const base64Url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url')

/** A new key. RSA keys are made once for each algorithm and name: they take long. */
const made = new Map<string, ProviderKey>()
export function providerKey(kid: string, alg: Signing = 'ES256'): ProviderKey {
  const known = made.get(`${alg}/${kid}`)
  if (known) return known
  const kind = alg.startsWith('RS') ? 'R' : alg.startsWith('PS') ? 'P' : (alg as 'ES256' | 'EdDSA')
  const key = { kid, alg, ...makeKeys[kind]() }
  made.set(`${alg}/${kid}`, key)
  return key
}

/** The public key in PEM. */
export const pemOf = ({ publicKey }: ProviderKey): string =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString()

/** The private key in PEM. */
export const privatePemOf = ({ privateKey }: ProviderKey): string =>
  privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()

/** The public key as a JSON Web Key. */
export const jwkOf = ({ publicKey, kid, alg }: ProviderKey): Record<string, unknown> => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg,
  use: 'sig',
})

const signatureOf = ({ privateKey: key, alg }: ProviderKey, data: string): Buffer => {
  const digest = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  const pss = alg.startsWith('PS') ? { padding: 6, saltLength: Number(alg.slice(2)) / 8 } : {}
  return sign(digest, Buffer.from(data), { key, dsaEncoding: 'ieee-p1363', ...pss })
}

/** Signs a token; its header can be changed, as a forger would. */
export function signToken(key: ProviderKey, claims: object, header: object = {}): string {
  const head = base64Url(JSON.stringify({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header }))
  const data = `${head}.${base64Url(JSON.stringify(claims))}`
  return `${data}.${base64Url(signatureOf(key, data))}`
}

/** A token as forgers make them: signed with a public key as if it were a shared secret. */
export function signWithSecret(secret: string, claims: object, header: object = {}): string {
  const head = base64Url(JSON.stringify({ alg: 'HS256', typ: 'JWT', ...header }))
  const data = `${head}.${base64Url(JSON.stringify(claims))}`
  return `${data}.${createHmac('sha256', secret).update(data).digest('base64url')}`
}

/** A token without a signature. */
export const unsignedToken = (claims: object): string =>
  `${base64Url('{"alg":"none"}')}.${base64Url(JSON.stringify(claims))}.`

/** A person who can sign in at the provider: the claims that its tokens have. */
export type Person = Readonly<Record<string, unknown>> & { readonly sub: string }

interface Options {
  readonly issuer: string
  readonly now: () => number
  readonly client?: { readonly id: string; readonly secret: string }
  readonly keys?: readonly ProviderKey[]
}

/** An OpenID Connect provider that tests run, and break. */
export interface TestProvider {
  readonly issuer: string
  /** The keys it publishes; the first one signs. */
  keys: readonly ProviderKey[]
  /** Who signs in next; `undefined` for nobody. */
  person: Person | undefined
  /** Answers instead of the provider for these paths. */
  readonly instead: Map<string, (request: Request) => Response | Promise<Response>>
  /** The paths that were asked for. */
  readonly asked: string[]
  /** A token of this provider with these claims, valid for five minutes. */
  readonly token: (claims: object, header?: object) => string
  /** Signs the present person in as a browser would: returns the address it is sent to. */
  readonly signIn: (address: string) => Promise<URL>
  readonly fetch: typeof fetch
}

/** Creates a provider in this process. */
export function testProvider({ issuer, now, client, keys }: Options): TestProvider {
  const codes = new Map<string, Record<string, string>>()
  const claimsOf = (claims: object) => {
    const seconds = Math.floor(now() / 1000)
    return { iss: issuer, iat: seconds, exp: seconds + 300, ...claims }
  }
  const tokenOf = (claims: object, header: object = {}) => {
    const [first] = provider.keys
    if (first === undefined) throw new Error('the provider has no key')
    return signToken(first, claimsOf(claims), header)
  }
  const authorize = (query: Record<string, string>): Response => {
    const { redirect_uri = '', state = '' } = query
    const to = new URL(redirect_uri)
    to.searchParams.set('state', state)
    if (provider.person === undefined) to.searchParams.set('error', 'access_denied')
    else {
      const code = `code-${codes.size + 1}`
      codes.set(code, query)
      to.searchParams.set('code', code)
    }
    return new Response(null, { status: 302, headers: { location: to.href } })
  }
  const exchange = async (request: Request): Promise<Response> => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    const wrong = (error: string) => Response.json({ error }, { status: 400 })
    const basic = `Basic ${Buffer.from(`${client?.id}:${client?.secret}`).toString('base64')}`
    if (request.headers.get('authorization') !== basic) return wrong('invalid_client')
    const asked = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    if (asked === undefined || asked['redirect_uri'] !== form['redirect_uri']) return wrong('invalid_grant')
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    if (challenge !== asked['code_challenge']) return wrong('invalid_grant')
    const claims = { auth_time: Math.floor(now() / 1000), ...provider.person }
    const id_token = tokenOf({ aud: asked['client_id'], nonce: asked['nonce'], ...claims })
    return Response.json({ access_token: 'access', token_type: 'Bearer', id_token })
  }
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    provider.asked.push(pathname)
    const other = provider.instead.get(pathname)
    if (other) return other(request)
    const base = new URL(issuer).pathname.replace(/\/$/, '')
    switch (pathname.slice(base.length)) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer,
          jwks_uri: `${issuer}/keys`,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
        })
      case '/keys':
        return Response.json({ keys: provider.keys.map(jwkOf) })
      case '/authorize':
        return authorize(Object.fromEntries(searchParams))
      case '/token':
        return exchange(request)
      default:
        return Response.json({ error: 'not_found' }, { status: 404 })
    }
  }
  const provider: TestProvider = {
    issuer,
    keys: keys ?? [providerKey('first')],
    person: undefined,
    instead: new Map(),
    asked: [],
    token: tokenOf,
    signIn: async (address) => {
      const response = await provider.fetch(address, { redirect: 'manual' })
      return new URL(response.headers.get('location') ?? '')
    },
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted()
      return answer(new Request(input, init))
    },
  }
  return provider
}

/** A provider that listens on a port of its own, for other processes and browsers. */
export async function listeningProvider(
  options: Omit<Options, 'issuer'>,
): Promise<TestProvider & { readonly close: () => Promise<void> }> {
  let provider: TestProvider | undefined
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks).toString() }
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        String(value),
      ])
      const url = `${provider?.issuer}${request.url}`
      const answered = await provider?.fetch(url, {
        method: request.method ?? 'GET',
        headers,
        redirect: 'manual',
        ...body,
      })
      response.writeHead(answered?.status ?? 500, Object.fromEntries(answered?.headers ?? []))
      response.end(await answered?.text())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  provider = testProvider({ ...options, issuer: `http://127.0.0.1:${port}` })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return Object.assign(provider, { close })
}
