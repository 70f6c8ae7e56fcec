import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** How much a violation matters. */
type Impact = 'minor' | 'moderate' | 'serious' | 'critical'

/** What axe finds in a part of a page that is serious or critical, or as given. The page's policy lets only the debugger bring a script in. */
export async function violationsOf(
  page: Page,
  within = 'html',
  impacts: readonly Impact[] = ['serious', 'critical'],
): Promise<readonly string[]> {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  const { result } = await debug.send('Runtime.evaluate', {
    expression: `axe.run(${JSON.stringify(within)}).then(({ violations }) => JSON.stringify(violations
      .filter(({ impact }) => ${JSON.stringify(impacts)}.includes(impact))
      .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | '))))`,
    awaitPromise: true,
  })
  await debug.detach()
  return JSON.parse(String(result.value))
}
