import { viewPath } from '../../data/base-path.ts'
import { call } from '../../data/call.ts'
import { setToken } from '../../data/tokens.ts'
import { escapedPath } from './api.ts'

/** The sign-in that this tab has begun: the mount that finishes it, and the nonce that ties it to this tab. */
interface Begun {
  readonly mount: string
  readonly nonce: string
}

const key = 'plinth-oidc'

/** Where the identity provider sends the browser back to; the role has to allow it. */
export const callbackAddress = (): string => location.origin + viewPath('/secrets/oidc/callback')

/** The nonce of a sign-in in progress. */
export const newNonce = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Sends the browser to the identity provider. */
export async function beginOidc(mount: string, role: string): Promise<void> {
  const begun: Begun = { mount, nonce: newNonce() }
  const { body } = await call<{ readonly data: { readonly auth_url: string } }>(
    'secrets',
    `/v1/auth/${escapedPath(mount)}/oidc/auth_url`,
    { method: 'POST', body: { role, redirect_uri: callbackAddress(), client_nonce: begun.nonce } },
  )
  if (body.data.auth_url === '')
    throw new Error(`The role does not exist, or does not allow the redirect URI ${callbackAddress()}.`)
  sessionStorage.setItem(key, JSON.stringify(begun))
  location.assign(body.data.auth_url)
}

/** Signs in with what the identity provider sent back. */
export async function finishOidc(query: Readonly<Record<string, string | undefined>>): Promise<void> {
  const kept = sessionStorage.getItem(key)
  sessionStorage.removeItem(key)
  if (kept === null) throw new Error('This tab has not begun a sign-in, or has finished it already.')
  const { mount, nonce }: Begun = JSON.parse(kept)
  const { state, code, error } = query
  const { body } = await call<{ readonly auth: { readonly client_token: string } }>(
    'secrets',
    `/v1/auth/${escapedPath(mount)}/oidc/callback`,
    { query: { state, code, error, client_nonce: nonce } },
  )
  setToken('secrets', body.auth.client_token)
}
