import { describe, expect, it } from 'vitest'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { devSecrets } from '../../../src/secrets/index.ts'
import { chromium, needing } from '../../programs.ts'
import { listeningProvider, providerKey } from '../../support/identity-provider.ts'
import { consoleUnderTest } from './under-test.ts'

describe(...needing('the OIDC sign-in of the console', chromium), () => {
  let provider: Awaited<ReturnType<typeof listeningProvider>>
  const under = consoleUnderTest(async () => {
    provider = await listeningProvider({
      now: Date.now,
      client: { id: 'console', secret: 's3cret' },
      keys: [providerKey('first', 'RS256')],
    })
    const { service, rootToken } = await devSecrets()
    const listening = await serve({ fetch: createConsole({ secrets: service }).fetch })
    const post = (path: string, body: object) =>
      service.fetch(
        new Request(`http://localhost/v1/${path}`, {
          method: 'POST',
          headers: { 'x-secrets-token': rootToken },
          body: JSON.stringify(body),
        }),
      )
    await post('sys/auth/oidc', { type: 'oidc' })
    await post('auth/oidc/config', {
      oidc_discovery_url: provider.issuer,
      oidc_client_id: 'console',
      oidc_client_secret: 's3cret',
      default_role: 'people',
    })
    await post('auth/oidc/role/people', {
      user_claim: 'sub',
      allowed_redirect_uris: [`${listening.url.replace(/\/$/, '')}/secrets/oidc/callback`],
    })
    await post('auth/oidc/role/elsewhere', {
      user_claim: 'sub',
      allowed_redirect_uris: ['https://elsewhere.test/callback'],
    })
    return {
      url: listening.url.replace(/\/$/, ''),
      close: async () => {
        await listening.close({ drainMs: 0 })
        await service.close()
        await provider.close()
      },
    }
  })
  const begin = async (role = '') => {
    const { page } = under
    await under.goto('/secrets')
    await page.getByLabel('Method').selectOption('OIDC')
    await page.getByLabel('Role').fill(role)
    await page.getByRole('button', { name: 'Sign in' }).last().click()
  }

  it('goes to the identity provider and comes back signed in, with nothing secret in the address', async () => {
    const { page } = under
    provider.person = { sub: 'ada' }
    await begin()
    await page.getByText('Signed in as oidc-ada').waitFor()
    expect(page.url()).toBe(`${under.home}/secrets`)
    expect(await page.evaluate("sessionStorage.getItem('plinth-oidc')")).toBeNull()
    await page.reload()
    await page.getByText('Signed in as oidc-ada').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Method').waitFor()
  })

  it('says why the provider refused, and lets the user try again', async () => {
    const { page } = under
    provider.person = undefined
    await begin()
    await page.getByRole('alert').filter({ hasText: 'access_denied' }).waitFor()
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await page.getByLabel('Method').waitFor()
  })

  it('says which address a role has to allow', async () => {
    await begin('elsewhere')
    await under.page.getByRole('status').filter({ hasText: '/secrets/oidc/callback' }).waitFor()
  })

  it('refuses an answer of a provider for which this tab has not asked', async () => {
    await under.goto('/secrets/oidc/callback?state=stolen&code=stolen')
    await under.page.getByText('This tab has not begun a sign-in').waitFor()
  })
})
