import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { violationsOf } from '../violations.ts'
import { demoConsole } from './demo.ts'

describe(...needing('secrets and policies that are written in the console', chromium), () => {
  const under = demoConsole()
  const { confirm, goto, secrets, signIn } = under
  const open = async (path: string) => {
    await goto(path)
    await signIn('root')
  }
  const press = (name: string) => under.page.getByRole('button', { name, exact: true }).first().click()

  it('are policies of rules that are completed, tried before they are saved, changed and deleted', async () => {
    const { page } = under
    await open('/secrets/policies')
    await press('New policy')
    const editor = page.getByRole('region', { name: 'New policy' })
    const options = editor.locator('datalist option')
    await expect
      .poll(() => options.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
      .toContain('secret/data/*')
    await editor.getByLabel('Name').fill('backup')
    await editor.getByLabel('Rule for the path').fill('secret/data/*')
    await editor.getByRole('button', { name: 'list' }).click()
    await press('Add the rule')
    expect(await editor.getByRole('textbox', { name: 'Policy' }).inputValue()).toBe(
      'path "secret/data/*" {\n  capabilities = ["read", "list"]\n}\n',
    )
    const tries = async (operation: string) => {
      await editor.getByLabel('Path', { exact: true }).fill('secret/data/demo/mail')
      await editor.getByLabel('Operation').selectOption(operation)
      await editor.getByRole('button', { name: 'Test' }).click()
    }
    await tries('read')
    await editor.getByText('allowed', { exact: true }).waitFor()
    await tries('delete')
    await editor.getByText('denied', { exact: true }).waitFor()
    await editor.getByText('Missing capability:').waitFor()
    expect(await violationsOf(page, 'main')).toEqual([])
    await expect(secrets('sys/policies/acl/backup')).rejects.toThrow('404')
    await press('Save the policy')
    await page.getByRole('status').filter({ hasText: 'Saved: backup' }).waitFor()
    await page.getByRole('button', { name: 'Edit backup' }).click()
    await page.getByRole('textbox', { name: 'Policy' }).fill('path "secret/*" {\n  capabilities = = []\n}')
    await press('Save the policy')
    await page.getByRole('alert').filter({ hasText: 'line 2' }).waitFor()
    await page.locator('mark.mistake').waitFor()
    await press('Cancel')
    await page.getByRole('button', { name: 'Delete backup' }).click()
    await confirm('Delete')
    await page.getByRole('link', { name: 'backup' }).waitFor({ state: 'detached' })
  })

  it('are secrets whose values stay hidden while they are changed, until one is revealed', async () => {
    const { page } = under
    await open('/secrets/browse/secret/demo/mail')
    await press('New version')
    const value = page.getByLabel('Value of field 1')
    expect(await value.getAttribute('type')).toBe('password')
    await press('Reveal the value of field 1')
    expect(await value.getAttribute('type')).not.toBe('password')
    expect(await page.getByLabel('Value of field 2').getAttribute('type')).toBe('password')
    await value.fill('changed')
    await value.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor()
  })

  it('are tokens that end after a number of uses', async () => {
    const { page } = under
    await open('/secrets/tokens')
    await page.getByLabel('Name', { exact: true }).fill('twice')
    await page.getByLabel('Number of uses').fill('-1')
    await press('Create')
    await page.getByRole('status').filter({ hasText: 'whole number' }).waitFor()
    await page.getByLabel('Number of uses').fill('2')
    await press('Create')
    await page.getByText('The token is shown once').waitFor()
    await page.getByRole('button', { name: /^token-twice/ }).waitFor()
  })
})
