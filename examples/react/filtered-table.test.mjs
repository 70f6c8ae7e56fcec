import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'

const bundled = { bundle: true, format: 'esm', jsx: 'automatic' }

test('renders on a server, where there is no DOM', async () => {
  const outfile = 'node_modules/.example/server.mjs'
  await build({ ...bundled, entryPoints: ['server.jsx'], platform: 'node', packages: 'external', outfile })
  const { html } = await import(`./${outfile}`)
  assert.match(html, /<plinth-filter id="filter"/)
  assert.match(html, /<td>web<\/td>/)
})

const browser = process.env.CHROMIUM ?? '/usr/bin/chromium'

test('filters as a user types, and as rows are built', { skip: !existsSync(browser) }, async () => {
  const { outputFiles } = await build({ ...bundled, entryPoints: ['main.jsx'], write: false })
  const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] })
  try {
    const page = await chrome.newPage()
    const faults = []
    page.on('pageerror', (error) => faults.push(error.message))
    await page.setContent('<!doctype html><html lang="en"><title>Jobs</title><div id="root"></div></html>')
    await page.addScriptTag({ content: outputFiles[0].text, type: 'module' })
    const says = (text) => page.getByRole('status').filter({ hasText: text }).first().waitFor()
    await says('3 of 3 rows')
    await page.getByRole('combobox', { name: 'Filter' }).click()
    await page.keyboard.type('status == "running"')
    await says('2 of 3 rows')
    await page.keyboard.type(' and ')
    await says('2 of 3 rows')
    await page.keyboard.type('priority > 20')
    await says('1 of 3 rows')
    await page.getByRole('button', { name: 'Conditions' }).click()
    await page.getByLabel('Value of condition 2').fill('60')
    await says('0 of 3 rows')
    await page.getByLabel('Value of condition 1').selectOption('dead')
    await says('1 of 3 rows')
    assert.equal(await page.getByRole('cell').first().innerText(), 'db')
    assert.deepEqual(faults, [])
  } finally {
    await chrome.close()
  }
})
