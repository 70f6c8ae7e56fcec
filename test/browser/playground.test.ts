import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { chromium, needing } from '../programs.ts'
import { serveSite, siteFolder } from './site-server.ts'
import { violationsOf } from './violations.ts'
import { visit } from './visit.ts'

const [title, options] = needing('the playground', chromium)
const isBuilt = existsSync(siteFolder)
const reason = isBuilt ? title : `${title} (the site is not built: npm run docs:build)`

/** The playground of the built site, in a real browser. */
describe(reason, { ...options, skip: options.skip || !isBuilt }, () => {
  const site = visit(serveSite)
  let page: Page
  let faults: string[]
  let elsewhere: string[]

  beforeEach(async () => {
    ;({ page, faults } = await site.open())
    elsewhere = []
    page.on('request', (request) => {
      const url = request.url()
      if (!url.startsWith(site.url) && !/^(?:data|blob):/.test(url)) elsewhere.push(url)
    })
    await page.goto(`${site.url}/playground`)
    return async () => {
      expect(faults).toEqual([])
      expect(elsewhere).toEqual([])
      await page.close()
    }
  })

  const expression = () => page.getByLabel('Expression', { exact: true })
  const rows = () => page.getByLabel('Rows', { exact: true })
  const schema = () => page.getByLabel('Schema', { exact: true })
  const says = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
  // By keys, as a user: `fill` selects in the DOM, and an answer that arrives meanwhile makes the editor select again.
  const write = async (box: ReturnType<typeof expression>, text: string) => {
    await box.click()
    await page.keyboard.press('Control+A')
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(text)
    await page.keyboard.press('Escape')
  }

  it('filters the rows that it begins with, and says how many pass', async () => {
    await says('3 of 8 rows')
    await write(expression(), 'Status == "running"')
    await says('4 of 8 rows')
    await write(rows(), '[{"Status": "running"}, {"Status": "dead"}]')
    await says('1 of 2 rows')
  })

  it.each(['Enter', 'Tab'])('completes a field and its value by %s', async (key) => {
    await write(expression(), '')
    await expression().click()
    await page.keyboard.type('Sta')
    await page.getByRole('listbox').getByRole('option', { name: 'Status' }).waitFor()
    await page.keyboard.press(key)
    await page.keyboard.type(' == "d')
    await page.getByRole('listbox').getByRole('option', { name: '"dead"' }).waitFor()
    await page.keyboard.press(key)
    await says('2 of 8 rows')
    expect(await expression().innerText()).toBe('Status == "dead"')
  })

  it('takes a suggestion by a click', async () => {
    await write(expression(), 'Stauts == "dead"')
    await page.getByRole('alert').filter({ hasText: 'did you mean Status?' }).waitFor()
    await page.getByRole('button', { name: 'Use Status' }).click()
    await says('2 of 8 rows')
  })

  it('takes a suggestion by a key', async () => {
    await write(expression(), 'Status == "dead" and Stauts == "dead"')
    await page.getByRole('alert').filter({ hasText: 'did you mean Status?' }).waitFor()
    await page.keyboard.press('Alt+Enter')
    await says('2 of 8 rows')
    expect(await expression().innerText()).toBe('Status == "dead" and Status == "dead"')
  })

  it('is used without a mouse', async () => {
    const focused = () =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.type')
    const tabTo = async (name: string) => {
      for (let step = 0; (await focused()) !== name; step += 1) {
        if (step > 40) throw new Error(`Tab does not reach ${name}`)
        await page.keyboard.press('Tab')
      }
    }
    await tabTo('Expression')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Priority > 90')
    await page.keyboard.press('Escape')
    await says('of 8 rows')
    await tabTo('checkbox')
    await page.keyboard.press('Space')
    await tabTo('Explain 4')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Explanation' }).getByText('Priority > 90').waitFor()
    await tabTo('Rows')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('[[]')
    await page.keyboard.press('Escape')
    await page.getByRole('alert').filter({ hasText: 'line 1, column 4' }).waitFor()
    await tabTo('Schema')
  })

  it('writes the expression as rows in the other editor, and keeps it when the editor is changed', async () => {
    await write(expression(), 'Status == "dead"')
    await says('2 of 8 rows')
    await page.getByLabel('Editor').selectOption('box')
    await page.getByLabel('Value of condition 1').selectOption('running')
    await says('4 of 8 rows')
    await page.getByRole('combobox', { name: 'Expression' }).fill('Stauts == "dead"')
    await page.getByRole('button', { name: 'Use Status' }).click()
    await says('2 of 8 rows')
    expect(await violationsOf(page, '#VPContent')).toEqual([])
    await page.getByLabel('Editor').selectOption('code')
    expect(await expression().innerText()).toBe('Status == "dead"')
  })

  it('takes the rows of a file that is dropped, in place of others', async () => {
    const files = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['[{"Status":"dead"},{"Status":"up"}]'], 'rows.json'))
      return transfer
    })()`)
    await write(expression(), 'Status == "dead"')
    await rows().dispatchEvent('drop', { dataTransfer: files })
    await says('1 of 2 rows')
    expect(await rows().innerText()).toBe('[{"Status":"dead"},{"Status":"up"}]')
  })

  it('works without a network', async () => {
    await says('3 of 8 rows')
    await page.context().setOffline(true)
    await write(rows(), '[{"Status": "running"}]')
    await write(expression(), 'Status == "running"')
    await says('1 of 1 rows')
    await page.getByLabel('Database').selectOption('sqlite')
    await page.getByText('"Status" = ?').waitFor()
    await page.context().setOffline(false)
  })

  it.each([
    ['deep nesting', `${'('.repeat(20_000)}Status == "dead"`],
    ['a pattern that makes other engines hang', 'Status matches "^(a+)+$"'],
    ['a long list', `Status in [${'"a", '.repeat(20_000)}"dead"]`],
  ])('answers %s, and goes on', async (_what, hostile) => {
    await write(rows(), JSON.stringify([{ Status: `${'a'.repeat(50_000)}!` }, { Status: 'dead' }]))
    await write(expression(), hostile)
    await page.locator('[role=alert], [role=status] strong').first().waitFor()
    await write(expression(), 'Status == "dead"')
    await says('1 of 2 rows')
  })

  it('explains a row that is chosen, and shows SQL, hints and the tree', async () => {
    await page.getByLabel('Show what does not pass').check()
    await page.getByRole('button', { name: 'Explain 4', exact: true }).click()
    const why = page.getByRole('region', { name: 'Explanation' })
    await why.getByText('Status == "running"').waitFor()
    expect(await why.getByRole('listitem').allInnerTexts()).toEqual([
      'Status == "running" → false, which decides',
      'Priority >= 50 → not asked',
    ])
    await page.getByText('"Status" = $1').waitFor()
    await page.getByLabel('Database').selectOption('sqlite')
    await page.getByText('"Status" = ?').waitFor()
    await page.getByText('Index hints').click()
    await page.getByText('Status eq running').waitFor()
    await page.getByText('Syntax tree').click()
    await page.getByText('match Status == "running"').waitFor()
    await page.getByText('Generated code').click()
    await page.getByText('test(d) {').waitFor()
  })

  it('restores expression, dialect and rows from its address', async () => {
    await page.getByLabel('Dialect').selectOption('bexpr')
    await write(rows(), '[{"A": "x"}, {"A": "y"}, {"A": "x"}]')
    await write(expression(), 'A == x')
    await says('2 of 3 rows')
    await expect.poll(() => page.url()).toContain('A+%3D%3D+x')
    await page.reload()
    await says('2 of 3 rows')
    expect(await page.getByLabel('Dialect').inputValue()).toBe('bexpr')
    expect(await expression().innerText()).toBe('A == x')
  })

  it('says what is wrong with rows and schema, and loses nothing typed', async () => {
    await says('3 of 8 rows')
    await write(rows(), '[{"Status": ')
    await page.getByRole('alert').filter({ hasText: 'line 1, column 13' }).waitFor()
    expect(await rows().innerText()).toBe('[{"Status": ')
    await says('3 of 8 rows')
    await write(schema(), '{"type": "object", "properties": {"Status": {"enum": ["up"]}, "Priority": {}}}')
    await page.getByRole('alert').filter({ hasText: '"up"' }).waitFor()
  })

  it('leaves an editor by Escape and Tab', async () => {
    await expression().click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await expect.poll(() => expression().evaluate((box) => box.matches(':focus'))).toBe(false)
  })

  it('stays responsive with 50 MB of rows, which stay out of the editor', async () => {
    const row = JSON.stringify({ Status: 'running', Text: 'x'.repeat(1000) })
    // A file, since what is sent to the browser as a buffer has to be there within a time.
    const folder = mkdtempSync(join(tmpdir(), 'plinth-playground-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'large.json')
    writeFileSync(file, `[${Array.from({ length: 50_000 }, () => row).join(',')}]`)
    await page.getByLabel('Open a JSON file').setInputFiles(file)
    await page.getByText('large.json').waitFor()
    // Typed text appears at once, even while the worker still reads rows.
    await write(expression(), 'Status == "running"')
    expect(await expression().innerText()).toBe('Status == "running"')
    await says('50000 of 50000 rows')
  })

  it.each(['light', 'dark'] as const)('has no serious violation of WCAG, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme })
    await page.reload()
    await says('3 of 8 rows')
    // The bar above is the theme's own.
    expect(await violationsOf(page, '#VPContent')).toEqual([])
  })

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await says('3 of 8 rows')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})
