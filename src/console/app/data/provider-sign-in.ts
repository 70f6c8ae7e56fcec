import { sha256 } from '@noble/hashes/sha2.js'
import { basePath, viewPath } from './base-path.ts'
import { call } from './call.ts'
import { clientAddress, services } from './services.ts'
import { setToken } from './tokens.ts'

/** A sign-in while the browser is at the identity provider. */
interface Pending {
  readonly state: string
  readonly verifier: string
  /** The view to return to. */
  readonly back: string
}

/** Where this tab keeps it. */
const key = `plinth-sign-in ${basePath}`

/** Where the registry sends the browser back to. */
const redirectUri = () => `${location.origin}${viewPath('/sign-in')}`

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const random = (): string => base64Url(crypto.getRandomValues(new Uint8Array(32)))

/** Whether people sign in at the registry with the identity provider of their company. */
export async function hasProvider(signal: AbortSignal): Promise<boolean> {
  if (!services.includes('registry')) return false
  const { body } = await call<object>('registry', '/.well-known/registry.json', { signal })
  return 'login.v1' in body && String(Object(body['login.v1']).authz).endsWith(authorizePath)
}

const authorizePath = '/plinth/v1/login/authorize'

/** Leaves the page for the identity provider. */
export function leaveForProvider(): void {
  const pending: Pending = { state: random(), verifier: random(), back: location.pathname }
  sessionStorage.setItem(key, JSON.stringify(pending))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'plinth',
    redirect_uri: redirectUri(),
    state: pending.state,
    code_challenge: base64Url(sha256(new TextEncoder().encode(pending.verifier))),
    code_challenge_method: 'S256',
  })
  location.assign(`${clientAddress('registry')}${authorizePath}?${query}`)
}

/** Exchanges what the browser brought back for a token, of the registry and of the catalog; returns the view to show. */
export async function finishSignIn(query: URLSearchParams): Promise<string> {
  const text = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  const pending = text === null ? undefined : (JSON.parse(text) as Pending)
  if (pending === undefined || query.get('state') !== pending.state)
    throw new Error('This sign-in was not started in this tab, or has ended: start it again.')
  const code = query.get('code')
  if (code === null) throw new Error('The identity provider did not sign you in.')
  const { body } = await call<{ readonly access_token: string }>('registry', '/plinth/v1/login/token', {
    method: 'POST',
    body: {
      grant_type: 'authorization_code',
      client_id: 'plinth',
      code,
      code_verifier: pending.verifier,
      redirect_uri: redirectUri(),
    },
  })
  setToken('registry', body.access_token)
  if (services.includes('catalog') && (await isValidAtCatalog(body.access_token)))
    setToken('catalog', body.access_token)
  return pending.back
}

/** A catalog that another server serves does not know the people of this registry. */
const isValidAtCatalog = (token: string): Promise<boolean> =>
  call('catalog', '/api/v2/authenticate', { headers: { authorization: `Bearer ${token}` } }).then(
    () => true,
    () => false,
  )
