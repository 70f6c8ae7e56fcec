import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { launch, open } from '../browser.ts'

/** Where a console listens, and how it ends. */
export interface Served {
  readonly url: string
  readonly close: () => Promise<unknown>
}

/** A console in a real browser: each test has a page of its own, in which nothing may go wrong. */
export function consoleUnderTest(serve: () => Promise<Served>) {
  let served: Served | undefined
  let browser: Browser | undefined
  let page: Page | undefined
  beforeAll(async () => {
    served = await serve()
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })
  beforeEach(async () => {
    const opened = await open(given(browser))
    page = opened.page
    page.on('dialog', (dialog) => void dialog.accept())
    return async () => {
      expect(opened.faults).toEqual([])
      await opened.page.close()
    }
  })
  return {
    get browser() {
      return given(browser)
    },
    get page() {
      return given(page)
    },
    get home() {
      return given(served).url
    },
    goto: (path: string) => given(page).goto(given(served).url + path),
    /** Types a token in. */
    useToken: async (text: string) => {
      await given(page).getByLabel('Token', { exact: true }).fill(text)
      await given(page).getByRole('button', { name: 'Use', exact: true }).click()
    },
  }
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the test has not begun yet')
  return value
}
