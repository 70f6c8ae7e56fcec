import { writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cleanUp, folder, type Server, start } from '../../cli/server.ts'
import { chromium, needing } from '../../programs.ts'
import { listeningProvider, providerKey } from '../../support/identity-provider.ts'
import { consoleUnderTest } from './under-test.ts'

/** A proxy with a host name of its own, which asks its target under the name of the target. */
async function proxy() {
  let target = ''
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const { host } = new URL(target)
    const passed = request(
      new URL(url ?? '/', target),
      { method, headers: { ...headers, host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}`,
    passTo: (url: string) => {
      target = url
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.each([
  { isProxied: false, where: 'where it listens' },
  { isProxied: true, where: 'behind a proxy with another host name' },
])('$where', ({ isProxied }) => {
  describe(...needing('the console of a company with an identity provider', chromium), () => {
    let server: Server
    let provider: Awaited<ReturnType<typeof listeningProvider>>
    const under = consoleUnderTest(async () => {
      provider = await listeningProvider({
        now: Date.now,
        client: { id: 'modules', secret: 's3cret' },
        keys: [providerKey('first', 'RS256')],
      })
      const secret = join(folder(), 'secret')
      writeFileSync(secret, 's3cret')
      const front = isProxied ? await proxy() : undefined
      server = await start(
        ...(front ? ['--console-url', front.url] : []),
        ...['--only', 'catalog,registry,console', '--oidc-issuer', provider.issuer],
        ...['--oidc-client-id', 'modules', '--oidc-client-secret-file', secret],
        ...['--oidc-groups', 'platform=acme'],
      )
      const made = await fetch(`${server.ready.catalog.url}/plinth/v1/organizations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.ready.catalog.tokens['admin']}` },
        body: JSON.stringify({ username: 'acme', members: ['admin'] }),
      })
      expect(made.status).toBe(200)
      const close = async () => {
        cleanUp()
        front?.close()
        await provider.close()
      }
      front?.passTo(server.ready.console.url)
      return { url: front?.url ?? server.ready.console.url, close }
    })
    const action = 'Sign in with your company'

    it('signs a person in at both services, who publishes a box of an account of the group', async () => {
      const { page, goto } = under
      provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['platform'] }
      await goto('/catalog')
      await page.getByRole('button', { name: action }).click()
      await page.getByLabel('New box').fill('acme/tiny')
      expect(page.url()).toBe(`${under.home}/catalog`)
      await page.getByLabel('New box').press('Enter')
      await page.getByLabel('Version', { exact: true }).fill('1.0.0')
      const image = { name: 'tiny.box', mimeType: 'application/gzip', buffer: Buffer.alloc(1000, 'image') }
      await page.getByLabel('Image').setInputFiles(image)
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByText('unreleased').waitFor()
      await goto('/registry')
      await page.getByRole('button', { name: 'Sign out' }).waitFor()
    })

    it('says who is in no group, who did not agree, and that an answer is of another sign-in', async () => {
      const { page, goto } = under
      provider.person = undefined
      await goto('/registry')
      await page.getByRole('button', { name: action }).click()
      await page.getByRole('alert').getByText('The identity provider did not sign you in.').waitFor()
      await goto('/sign-in?code=stolen&state=forged')
      await page.getByRole('alert').getByText('This sign-in was not started in this tab').waitFor()
      expect(page.url()).toBe(`${under.home}/sign-in`)
      provider.person = { sub: 'eve', groups: ['strangers'] }
      await goto('/registry')
      await page.getByRole('button', { name: action }).click()
      await page.getByText('you are in no group that may use this registry').waitFor()
    })
  })
})
