import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { demoConsole } from './demo.ts'
import { formsOn } from './forms.ts'

const management = '00000000-0000-4000-8000-00000000beef'

describe(...needing('access control of the scheduler in the console', chromium), () => {
  const under = demoConsole('--management-token', management)
  const { confirm, goto, signIn } = under
  const { dialog, fill, press, submitted } = formsOn(under)
  const asked = async <Body>(path: string, token: string) => {
    const answer = await fetch(under.ready().scheduler.url + path, { headers: { 'X-Nomad-Token': token } })
    return { status: answer.status, body: (await answer.json().catch(() => undefined)) as Body }
  }
  const secretOf = async (name: string) => {
    const listed = await asked<{ Name: string; AccessorID: string }[]>('/v1/acl/tokens', management)
    const id = listed.body.find(({ Name }) => Name === name)?.AccessorID
    return (await asked<{ SecretID: string }>(`/v1/acl/token/${id}`, management)).body.SecretID
  }
  const statusFor = async (token: string, path: string) => (await asked(path, token)).status

  it('makes a policy, a role of it and a token of the role, which loses its rights with the role', async () => {
    const { page } = under
    await goto('/scheduler/-/acl-policies')
    await page.getByText('There is no ACL policy yet.').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signIn(management)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await press('New ACL policy')
    await fill({ Name: 'read-nodes', Description: 'for dashboards', Rules: 'node { policy = "read" }' })
    await submitted()
    await page.getByRole('button', { name: 'read-nodes', exact: true }).waitFor()

    await page.getByRole('link', { name: 'ACL roles' }).click()
    await press('New ACL role')
    await fill({ Name: 'dashboards', Description: 'of the team', Policies: 'read-nodes' })
    await submitted()
    const role = page.getByRole('row').filter({ hasText: 'dashboards' })
    await role.waitFor()

    await page.getByRole('link', { name: 'ACL tokens' }).click()
    await press('New ACL token')
    await fill({ Name: 'wall', Type: 'client', Roles: 'dashboards' })
    await dialog().getByRole('button').last().click()
    await dialog().getByRole('button', { name: 'Copy the new ACL token' }).waitFor()
    await dialog().getByRole('button', { name: 'Close' }).click()
    const secret = await secretOf('wall')
    expect(await statusFor(secret, '/v1/nodes')).toBe(200)
    expect(await statusFor(secret, '/v1/acl/tokens')).toBe(403)

    await page.getByRole('link', { name: 'ACL roles' }).click()
    await role.getByRole('button').first().click()
    await fill({ Description: 'of all teams' })
    await submitted()
    await page.getByText('of all teams').waitFor()
    await role.getByRole('button', { name: /^Delete/ }).click()
    await confirm('Delete')
    await role.waitFor({ state: 'detached' })
    expect(await statusFor(secret, '/v1/nodes')).toBe(403)
  })
})
