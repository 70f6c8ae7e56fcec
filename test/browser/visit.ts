import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launch, open } from './browser.ts'

/** What a test file visits: where it listens, and how it ends. */
export interface Served {
  readonly url: string
  readonly close: () => Promise<unknown>
}

/** Serves something for the tests of a file, and opens pages in a browser, which ends with it. */
export function visit(serve: () => Promise<Served>) {
  let served: Served | undefined
  let browser: Browser | undefined
  beforeAll(async () => {
    served = await serve()
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })
  return {
    /** Where it listens. */
    get url() {
      return given(served).url
    },
    /** Opens a page that collects its faults. */
    open: (options?: Parameters<Browser['newPage']>[0]) => open(given(browser), options),
  }
}

/** What a hook sets before any test runs. */
export function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the test has not begun yet')
  return value
}
