import type { Page } from 'playwright-core'
import { beforeEach, expect } from 'vitest'
import { given, type Served, visit } from '../visit.ts'

/** A console in a real browser: each test has a page of its own, in which nothing may go wrong. */
export function consoleUnderTest(serve: () => Promise<Served>) {
  const site = visit(serve)
  let page: Page | undefined
  beforeEach(async () => {
    const opened = await site.open()
    page = opened.page
    return async () => {
      expect(opened.faults).toEqual([])
      await opened.page.close()
    }
  })
  return {
    open: site.open,
    get page() {
      return given(page)
    },
    get home() {
      return site.url
    },
    goto: (path: string) => given(page).goto(site.url + path),
    /** Signs in with a token. */
    signIn: async (token: string) => {
      await given(page).getByLabel('Token', { exact: true }).fill(token)
      await given(page).getByLabel('Token', { exact: true }).press('Enter')
    },
    /** Confirms an action in the dialog that says what will happen. */
    confirm: async (action: string) => {
      const dialog = given(page).getByRole('dialog', { name: new RegExp(`^${action} .*\\?$`) })
      await dialog.getByRole('button', { name: action }).click()
      await dialog.waitFor({ state: 'hidden' })
    },
  }
}
