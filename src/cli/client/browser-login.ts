import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toHex } from '../../crypto/encoding.ts'
import { nodeCrypto } from '../../crypto/index.ts'
import { UserError } from '../user-error.ts'
import { type Connection, succeeded } from './connection.ts'

/** The usual port of the callback, which providers of existing installations know. */
const usualPort = 8250

interface BrowserLogin {
  readonly mount: string
  readonly role?: string
  /** The port of the callback; any free one for 0. */
  readonly port: string | undefined
  /** Whether only the address is printed. */
  readonly skipBrowser: boolean
}

/** What the browser brought back. */
interface Callback {
  readonly query: Readonly<Record<string, string>>
  /** Ends the browser's request with a sentence. */
  readonly show: (text: string) => void
}

/**
 * Signs in through the identity provider in a browser: prints its address, opens it, and waits for the provider to send the
 * browser back to a port of this command.
 */
export async function browserLogin(
  connection: Connection,
  { mount, role, port = String(usualPort), skipBrowser }: BrowserLogin,
): Promise<Readonly<Record<string, unknown>>> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UserError(`port=${port} is not a port: use a number from 0 to 65535`, 2)
  const nonce = toHex(nodeCrypto().randomBytes(16))
  const callback = await listen(Number(port))
  try {
    const redirect_uri = `http://localhost:${callback.port}/oidc/callback`
    const body = { redirect_uri, client_nonce: nonce, ...(role === undefined ? {} : { role }) }
    const started = succeeded(
      await connection.call('PUT', `${mount}/oidc/auth_url`, { body }),
      'starting the login',
    )
    const { data } = started
    const url = typeof data === 'object' && data !== null && 'auth_url' in data ? String(data.auth_url) : ''
    if (!/^https?:\/\//.test(url))
      throw new UserError(
        `the role does not allow the redirect to ${redirect_uri}: add it to its allowed_redirect_uris (role_type oidc)`,
      )
    process.stderr.write(`Complete the login in your browser:\n\n    ${url}\n\n`)
    if (!skipBrowser) openBrowser(url)
    const { query, show } = await callback.arrived
    const answer = await connection.call('GET', `${mount}/oidc/callback`, {
      query: { ...query, client_nonce: nonce },
    })
    show(
      answer.status < 300
        ? 'You are signed in. You can close this window.'
        : 'The login failed. See the terminal.',
    )
    return succeeded(answer, 'signing in')
  } finally {
    callback.close()
  }
}

async function listen(port: number) {
  let arrive: (callback: Callback) => void = () => {}
  const arrived = new Promise<Callback>((resolve) => {
    arrive = resolve
  })
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname !== '/oidc/callback' || request.method !== 'GET') return end(response, 404, 'Not found')
    arrive({
      query: Object.fromEntries(url.searchParams),
      show: (text) => end(response, 200, text),
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(
        new UserError(`cannot wait for the browser on port ${port}: ${message}; choose another with port=0`),
      ),
    )
    server.listen(port, 'localhost', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    close: () => {
      server.close()
      server.closeIdleConnections()
    },
  }
}

const end = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${text}\n`)
}

/** Opens the address in the browser of the desktop, if there is one: it is printed in any case. */
function openBrowser(url: string): void {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler']
        : ['xdg-open']
  if (program === undefined) return
  spawn(program, [...before, url], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}
