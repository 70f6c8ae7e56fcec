import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** What axe finds in a part of a page that is serious or critical. The page's policy lets only the debugger bring a script in. */
export async function violationsOf(page: Page, within = 'html'): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  const { result } = await debug.send('Runtime.evaluate', {
    expression: `axe.run(${JSON.stringify(within)}).then(({ violations }) => JSON.stringify(violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | '))))`,
    awaitPromise: true,
  })
  await debug.detach()
  return JSON.parse(String(result.value))
}
