// Makes site/public/social.png from social.svg: `node scripts/social-image.mjs`. Social sites show no SVG.
// It needs Chromium (PLINTH_CHROMIUM, else /usr/bin/chromium).
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const browser = await chromium.launch({
  executablePath: process.env['PLINTH_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
})
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
await page.setContent(`<style>* { margin: 0 }</style>${readFileSync('site/public/social.svg', 'utf8')}`)
await page.screenshot({ path: 'site/public/social.png' })
await browser.close()
