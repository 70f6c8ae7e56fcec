import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { demoConsole } from './demo.ts'

describe(...needing('the console of a secrets service', chromium), () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-console-'))
  const script = join(folder, 'idp.json')
  writeFileSync(
    script,
    JSON.stringify({
      users: {
        ada: { password: 'hunter2', groups: ['dev'] },
        bob: { password: 'hunter3', factors: [{ type: 'totp', provider: 'google', passcode: '123456' }] },
        eve: { password: 'hunter4', factors: [{ type: 'push', number: 42, polls: 3 }] },
      },
    }),
  )
  const under = demoConsole('--idp-script', script)
  const { confirm, goto, secrets, signIn } = under
  beforeAll(async () => {
    await secrets('auth/userpass/users/ada', { password: 'correct horse', token_policies: 'demo-reader' })
    await secrets('auth/idp/config', { org_name: 'acme', api_token: 'x' })
    await secrets('auth/idp/groups/dev', { policies: 'demo-reader' })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const asRoot = async (path: string) => {
    await goto('/secrets')
    await signIn('root')
    await under.page.getByRole('link', { name: 'secret/' }).waitFor()
    if (path !== '/secrets') await follow(path)
  }
  /** Goes to a view without a reload. */
  const follow = (path: string) =>
    under.page.evaluate(`{
      const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(path)} })
      document.body.append(link)
      link.click()
      link.remove()
    }`)

  it('signs in with a user name and a password, and does not say which of them was wrong', async () => {
    const { page } = under
    await goto('/secrets')
    await page.getByLabel('User name').fill('ada')
    await page.getByLabel('Password').fill('wrong')
    await page.getByLabel('Password').press('Enter')
    await page.getByRole('status').filter({ hasText: 'invalid username or password' }).waitFor()
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    await page.getByLabel('Password').fill('correct horse')
    await page.getByRole('button', { name: 'Sign in' }).last().click()
    await page.getByRole('link', { name: 'secret/' }).waitFor()
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByText('userpass-ada').first().waitFor()
  })

  it('signs in through the identity provider, with a passcode or a number to choose', async () => {
    const { page } = under
    const start = async (name: string, password: string) => {
      await goto('/secrets')
      await page.getByLabel('Method').selectOption('identity provider')
      await page.getByLabel('User name').fill(name)
      await page.getByLabel('Password').fill(password)
    }
    await start('ada', 'hunter2')
    await page.getByRole('button', { name: 'Sign in' }).last().click()
    await page.getByRole('link', { name: 'secret/' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await start('bob', 'hunter3')
    await page.getByLabel(/^Passcode/).fill('123456')
    await page.getByRole('button', { name: 'Sign in' }).last().click()
    await page.getByRole('heading', { name: 'Mounts' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await start('eve', 'hunter4')
    await page.getByRole('button', { name: 'Sign in' }).last().click()
    await page.getByText('Choose 42 on your other device.').waitFor()
    await page.getByRole('heading', { name: 'Mounts' }).waitFor()
  })

  it('keeps a sign-in across a reload, in the storage of its tab alone, until sign-out', async () => {
    const { page } = under
    await asRoot('/secrets/tokens')
    const kept = () =>
      page.evaluate(
        'JSON.stringify({ local: { ...localStorage }, session: Object.values(sessionStorage), cookie: document.cookie })',
      )
    await expect.poll(kept).toBe('{"local":{},"session":["{\\"secrets\\":\\"root\\"}"],"cookie":""}')
    expect(page.url()).not.toContain('root')
    expect(await page.evaluate('JSON.stringify(history.state)')).not.toContain('root')
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token', { exact: true }).waitFor()
    expect(await kept()).toBe('{"local":{},"session":[],"cookie":""}')
    await page.reload()
    await page.getByLabel('Token', { exact: true }).waitFor()
  })

  it('browses to a secret, writes it, reveals it, and reports a writer that was faster', async () => {
    const { page } = under
    await asRoot('/secrets')
    await page.getByRole('link', { name: 'secret/' }).click()
    await page.getByRole('link', { name: 'demo/' }).click()
    await page.getByRole('link', { name: 'database' }).click()
    await page.locator('main code', { hasText: 'username' }).first().waitFor()
    expect(await page.getByText('db.example.com').count()).toBe(0)
    await page.getByRole('button', { name: 'Reveal host' }).click()
    await page.getByText('db.example.com').waitFor()
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByLabel('Value of field 1').fill('changed')
    await secrets('secret/data/demo/database', { data: { username: 'faster' } })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('another client wrote a version in the meantime').waitFor()
  })

  it('keeps what was typed when the sign-in ends meanwhile, and saves it after another', async () => {
    const { page } = under
    const { auth } = await secrets<{ auth: { client_token: string } }>('auth/token/create', { ttl: '1h' })
    await goto('/secrets/browse/secret/typed')
    await under.signIn(auth.client_token)
    await page.getByLabel('Name of field 1').fill('note')
    await page.getByLabel('Value of field 1').fill('long to write')
    await secrets('auth/token/revoke', { token: auth.client_token })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').filter({ hasText: 'sign in again' }).waitFor()
    await signIn('root')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => secrets('secret/data/typed').catch(() => undefined))
      .toMatchObject({ data: { data: { note: 'long to write' } } })
  })

  it('is signed in and out in each tab by itself', async () => {
    const { page } = under
    await asRoot('/secrets')
    const other = await under.open()
    await other.page.goto(`${under.home}/secrets`)
    await other.page.getByText('Or sign in').waitFor()
    await other.page.close()
    await page.reload()
    await page.getByRole('heading', { name: 'Mounts' }).waitFor()
  })

  it('hides a revealed value after a while, and takes a copied one out of the clipboard', async () => {
    const { page } = under
    await secrets('secret/data/copied', { data: { word: 'xyzzy' } })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.clock.install()
    await asRoot('/secrets/browse/secret/copied')
    await page.getByRole('button', { name: 'Reveal word' }).click()
    await page.getByText('xyzzy').waitFor()
    await page.getByRole('button', { name: 'Copy word' }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('xyzzy')
    await page.clock.fastForward(31_000)
    await page.getByText('xyzzy').waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('')
  })

  it('compares two versions of a secret without showing their values until asked', async () => {
    const { page } = under
    for (const data of [
      { a: 'one', b: 'same' },
      { a: 'two', b: 'same' },
      { b: 'same', c: 'new' },
    ])
      await secrets('secret/data/compared', { data })
    await asRoot('/secrets/browse/secret/compared')
    const comparison = page.locator('.item', { has: page.getByLabel('Compare version') })
    await comparison.getByText('a removed').waitFor()
    await comparison.getByText('c added').waitFor()
    await page.getByLabel('Compare version').selectOption('1')
    await page.getByLabel('with version').selectOption('2')
    await comparison.getByText('a changed').waitFor()
    expect(await comparison.textContent()).not.toContain('one')
    await comparison.getByRole('button', { name: 'Show values' }).click()
    expect(await comparison.locator('del').textContent()).toBe('one')
    expect(await comparison.locator('ins').textContent()).toBe('two')
  })

  it('deletes a version, brings it back, destroys it, and deletes all', async () => {
    const { page } = under
    for (const n of [1, 2]) await secrets('secret/data/fleeting', { data: { n } })
    await asRoot('/secrets/browse/secret/fleeting')
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText(/its data cannot be read/).waitFor()
    await page.getByRole('button', { name: 'Undelete' }).click()
    await page.getByRole('button', { name: 'Reveal n' }).waitFor()
    await page.getByRole('button', { name: 'Version 1' }).click()
    await page.getByRole('button', { name: 'Destroy' }).click()
    await page.getByText('Its data is deleted permanently.').waitFor()
    await confirm('Destroy')
    await page.getByText('destroyed', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Delete the secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toContain('Delete the secret')
    await page.getByRole('button', { name: 'Delete the secret' }).click()
    await confirm('Delete')
    await page.getByText('There is no such secret yet.').waitFor()
  })

  it('changes the metadata of a secret', async () => {
    const { page } = under
    await secrets('secret/data/described', { data: { n: 1 } })
    await asRoot('/secrets/browse/secret/described')
    await page.getByRole('button', { name: 'Edit metadata' }).click()
    await page.getByLabel('Versions kept').fill('7')
    await page.getByLabel('Check-and-set required').selectOption('yes')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('Versions kept7').waitFor()
    await page.getByRole('button', { name: 'Edit metadata' }).click()
    await page.getByLabel('Name of field 1').fill('owner')
    await page.getByLabel('Value of field 1').fill('payments')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('ownerpayments').waitFor()
    const read = await secrets<{ data: unknown }>('secret/metadata/described')
    expect(read.data).toMatchObject({
      max_versions: 7,
      cas_required: true,
      custom_metadata: { owner: 'payments' },
    })
  })

  it('finds secrets by their paths below a folder', async () => {
    const { page } = under
    for (const path of ['team/web/tls-key', 'team/web/password', 'team/db/tls-key', 'other'])
      await secrets(`secret/data/${path}`, { data: { n: 1 } })
    await asRoot('/secrets/browse/secret/team/')
    await page.getByRole('link', { name: 'db/' }).waitFor()
    await page.getByLabel('Search').fill('tls')
    await page.getByLabel('Search').press('Enter')
    await page.getByText('2 found').waitFor()
    await page.getByRole('link', { name: 'web/tls-key' }).click()
    await page.getByRole('button', { name: 'Reveal n' }).waitFor()
    await page.goBack()
    await page.getByText('2 found').waitFor()
  })

  it('looks up, renews and revokes a token by its accessor', async () => {
    const { page } = under
    const { auth } = await secrets<{ auth: { accessor: string; client_token: string } }>(
      'auth/token/create',
      {
        display_name: 'robot',
        policies: ['demo-reader'],
        ttl: '1h',
      },
    )
    await asRoot('/secrets/tokens')
    await page.getByLabel('Accessor', { exact: true }).fill(auth.accessor)
    await page.getByLabel('Accessor', { exact: true }).press('Enter')
    await page.locator('dd', { hasText: 'token-robot' }).waitFor()
    await page.getByRole('button', { name: 'Renew this token' }).click()
    await page.getByText('The token is renewed.').waitFor()
    await page.getByRole('button', { name: 'Revoke this token' }).click()
    await confirm('Revoke')
    await page.getByText('The token is revoked.').waitFor()
    await expect(secrets('auth/token/lookup', { token: auth.client_token })).rejects.toThrow('403')
  })

  it('creates a token, shows it once, and lists tokens by their expiry', async () => {
    const { page } = under
    await asRoot('/secrets/tokens')
    await page.getByLabel('Name', { exact: true }).fill('ci-bot')
    await page.getByLabel(/^Policies, separated/).fill('demo-reader')
    await page.getByLabel('Time to live').fill('5m')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: 'Copy the new token' }).waitFor()
    const table = page.getByRole('table', { name: 'Tokens', exact: true })
    await table.getByRole('row', { name: /token-ci-bot.* demo-reader in \d minutes/ }).waitFor()
    await page.getByLabel('Search').fill('ci-b')
    await page.getByText(/^1 of \d+ tokens/).waitFor()
    await table.getByRole('button', { name: /^token-ci-bot/ }).click()
    await page.getByRole('button', { name: 'Revoke this token' }).waitFor()
  })

  it('renews and revokes the token in use', async () => {
    const { page } = under
    const { auth } = await secrets<{ auth: { client_token: string } }>('auth/token/create', {
      policies: ['default'],
      ttl: '1h',
    })
    await goto('/secrets/tokens')
    await signIn(auth.client_token)
    await page.getByRole('button', { name: 'Renew', exact: true }).click()
    await page.getByText('The token is renewed.').waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await confirm('Revoke')
    await page.getByLabel('User name').waitFor()
  })

  it('tests what a policy lets a token do, and shows the rule that decides', async () => {
    const { page } = under
    await asRoot('/secrets/policies')
    await page.getByLabel('Path').fill('secret/data/demo/database')
    await page.getByLabel('Access of').selectOption('policies')
    await page.getByLabel(/^Policies, separated/).fill('demo-reader')
    await page.getByRole('button', { name: 'Test' }).click()
    const answer = page.getByRole('status').filter({ hasText: 'Rule:' })
    await answer.getByText('allowed', { exact: true }).waitFor()
    await page.getByLabel('Operation').selectOption('delete')
    await page.getByRole('button', { name: 'Test' }).click()
    await answer.getByText('denied', { exact: true }).waitFor()
    await answer.getByText('Missing capability: delete').waitFor()
    await answer.getByRole('link', { name: 'demo-reader' }).click()
    await page.locator('pre .rule', { hasText: 'secret/data/demo/*' }).waitFor()
    await page.getByRole('button', { name: 'Who has access?' }).click()
    await page.getByRole('table', { name: 'Tokens with access' }).getByText('root').first().waitFor()
  })

  it('says that a token is not permitted, and shows a sealed service as sealed', async () => {
    const { page } = under
    await goto('/secrets')
    await signIn('nonsense')
    await page.getByText('Not permitted').waitFor()
    await signIn('root')
    await page.getByRole('button', { name: 'Seal' }).click()
    await confirm('Seal')
    await page.getByText('0 of 1 key shares entered').waitFor()
    await page.getByLabel('Key share').fill(under.ready().secrets.unsealKeys[0] ?? '')
    await page.getByRole('button', { name: 'Unseal' }).click()
    await page.getByRole('link', { name: 'secret/' }).waitFor()
  })

  it('shows that the service was sealed and unsealed elsewhere', async () => {
    const { page } = under
    await asRoot('/secrets/policies')
    await page.getByRole('button', { name: 'Test' }).waitFor()
    await secrets('sys/seal', {}, 'PUT').catch(() => {})
    await page.getByText('0 of 1 key shares entered').waitFor()
    await secrets('sys/unseal', { key: under.ready().secrets.unsealKeys[0] }, 'PUT')
    await page.getByRole('button', { name: 'Test' }).waitFor()
  })
})
