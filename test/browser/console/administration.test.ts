import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { violationsOf } from '../violations.ts'
import { demoConsole } from './demo.ts'
import { formsOn } from './forms.ts'

describe(...needing('the administration in the console', chromium), () => {
  const under = demoConsole()
  const { confirm, goto, scheduler, secrets, signIn } = under
  const open = async (path: string, title: string, token = 'root') => {
    await goto(path)
    await signIn(token)
    await under.page.getByRole('heading', { name: title, exact: true }).waitFor()
    await under.page.getByRole('button', { name: /^(?:New|Enable) / }).waitFor()
  }
  const { dialog, fill, press, submitted } = formsOn(under)

  it('enables a secrets engine with the keyboard alone, tunes it, and disables it', async () => {
    const { page } = under
    await open('/secrets/-/engines', 'Engines')
    await page.getByRole('button', { name: 'Enable a secrets engine' }).focus()
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    for (const text of ['notes', 'kv', 'of the team', 'version=2']) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await dialog().waitFor({ state: 'hidden' })
    await press('notes/')
    await dialog().getByLabel('Description').fill('of all teams')
    await dialog().getByLabel('Max lease TTL').fill('48h')
    await submitted()
    await page.getByText('of all teams').waitFor()
    const { data } = await secrets<{ data: object }>('sys/mounts/notes/tune')
    expect(data).toMatchObject({ max_lease_ttl: 172_800, options: { version: '2' } })
    await press('Disable notes/')
    await confirm('Disable')
    await page.getByRole('button', { name: 'notes/', exact: true }).waitFor({ state: 'detached' })
  })

  it('creates a user who can sign in, changes what is changed alone, and never shows the password', async () => {
    const { page } = under
    await open('/secrets/-/users', 'Users')
    await press('New user')
    await fill({
      Name: 'linus',
      Password: 'correct horse',
      'Token policies': 'demo-reader',
      'Token TTL': '30m',
    })
    expect(await violationsOf(page, 'dialog')).toEqual([])
    await submitted()
    await press('linus')
    expect(await dialog().getByLabel('Password').inputValue()).toBe('')
    await fill({ 'Token policies': 'demo-reader, demo-writer' })
    await submitted()
    const { auth } = await secrets<{ auth: { policies: string[]; lease_duration: number } }>(
      'auth/userpass/login/linus',
      { password: 'correct horse' },
    )
    expect(auth.policies).toEqual(['default', 'demo-reader', 'demo-writer'])
    expect(auth.lease_duration).toBe(1800)
  })

  it('says what is missing before there can be roles, and links to it', async () => {
    const { page } = under
    await goto('/secrets/-/app-roles')
    await signIn('root')
    await page.getByText('No auth method of type approle is enabled.').waitFor()
    await page.getByRole('link', { name: 'Enable one' }).click()
    await press('Enable an auth method')
    await fill({ Path: 'approle', Type: 'approle' })
    await submitted()
    await page.getByRole('link', { name: 'App roles' }).click()
    await press('New app role')
    await fill({ Name: 'ci', 'Token policies': 'demo-reader', 'Secret ID num uses': 'many' })
    await dialog().getByRole('button', { name: 'New app role' }).click()
    await page.getByRole('status').filter({ hasText: '“many” is none' }).waitFor()
    await fill({ 'Secret ID num uses': '3' })
    await submitted()
    const { data } = await secrets<{ data: object }>('auth/approle/role/ci')
    expect(data).toMatchObject({ secret_id_num_uses: 3, token_policies: ['demo-reader'] })
  })

  it('makes a secret ID with which a machine signs in, and destroys it', async () => {
    const { page } = under
    await open('/secrets/-/secret-ids', 'Secret IDs')
    await page.getByText('There is no secret ID yet.').waitFor()
    await press('New secret ID')
    await fill({ Metadata: 'host=ci-1', TTL: '1h' })
    await dialog().getByRole('button', { name: 'New secret ID' }).click()
    await dialog().getByText('is shown once').waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    const accessors = await secrets<{ data: { keys: string[] } }>('auth/approle/role/ci/secret-id?list=true')
    const [accessor = ''] = accessors.data.keys
    await press(`Destroy ${accessor}`)
    await confirm('Destroy')
    await page.getByText('There is no secret ID yet.').waitFor()
  })

  it('configures the provider of a JWT method', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await secrets('sys/auth/jwt', { type: 'jwt' })
    await goto('/secrets/-/jwt-providers')
    await signIn('root')
    await press('jwt/')
    await fill({ 'Bound issuer': 'https://ci.example', 'JWT validation pubkeys': key })
    await submitted()
    const { data } = await secrets<{ data: object }>('auth/jwt/config')
    expect(data).toMatchObject({ bound_issuer: 'https://ci.example' })
  })

  it('writes, changes and deletes a variable of the scheduler', async () => {
    const { page } = under
    await goto('/scheduler/-/variables')
    await press('New variable')
    await fill({ Path: 'app/settings', Items: 'mode=safe\nlimit=10' })
    await submitted()
    await press('app/settings')
    expect((await dialog().getByLabel('Items').inputValue()).split('\n').sort()).toEqual([
      'limit=10',
      'mode=safe',
    ])
    await fill({ Items: 'mode=fast' })
    await submitted()
    expect(await scheduler('/v1/var/app/settings')).toMatchObject({ Items: { mode: 'fast' } })
    await press('Delete app/settings')
    await confirm('Delete')
    await page.getByText('There is no variable yet.').waitFor()
  })

  it('refuses a line without a value, and shows a refusal of the service', async () => {
    const { page } = under
    await goto('/scheduler/-/node-pools')
    await press('New node pool')
    await fill({ Name: 'Not A Name!', Meta: 'owner' })
    await dialog().getByRole('button', { name: 'New node pool' }).click()
    await page.getByRole('status').filter({ hasText: 'write name=value' }).waitFor()
    await fill({ Meta: 'owner=web' })
    await dialog().getByRole('button', { name: 'New node pool' }).click()
    await page.getByRole('status').filter({ hasText: 'Not A Name!' }).waitFor()
    await fill({ Name: 'web' })
    await submitted()
    await page.getByText('owner=web').waitFor()
  })

  it('creates a token of the catalog, shows it once, revokes it, and lists both in the audit trail', async () => {
    const { page } = under
    const token = String(Object.values(under.ready().catalog.tokens)[0])
    await goto('/catalog/-/tokens')
    await signIn(token)
    await press('New token')
    await fill({ Description: 'for ci', TTL: '1h' })
    await dialog().getByRole('button').last().click()
    await dialog().getByRole('button', { name: 'Copy the new token' }).waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    const row = page.getByRole('row').filter({ hasText: 'for ci' })
    await row.getByRole('button', { name: /^Revoke/ }).click()
    await confirm('Revoke')
    await row.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Audit trail' }).click()
    for (const change of ['token.created', 'token.deleted'])
      await page.getByRole('cell', { name: change }).first().waitFor()
  })
})
