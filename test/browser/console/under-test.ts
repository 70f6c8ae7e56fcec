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
    page.on('dialog', (dialog) => void dialog.accept())
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
    /** Types a token in. */
    useToken: async (text: string) => {
      await given(page).getByLabel('Token', { exact: true }).fill(text)
      await given(page).getByRole('button', { name: 'Use', exact: true }).click()
    },
  }
}
