// Takes the pictures of the console that the README and the site show: `node scripts/screenshots.mjs` after `npm run build`.
// It needs Chromium (PLINTH_CHROMIUM, else /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'

const services = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry', 'console']
const server = spawn(process.execPath, [
  'dist/cli/main.js',
  'serve',
  '--demo',
  '--json',
  '--root-token=root',
  ...services.map((name) => `--${name}-port=0`),
])
const [line] = await server.stdout.setEncoding('utf8').take(1).toArray()
const { url } = JSON.parse(line).console
const browser = await chromium.launch({
  executablePath: process.env['PLINTH_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

/** Opens a view, waits for a text in it, and takes its picture. */
async function take(name, path, text, { scheme = 'light', before } = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, colorScheme: scheme })
  await page.goto(url + path)
  await before?.(page)
  await page.getByText(text).first().waitFor()
  await page.waitForTimeout(500)
  await page.screenshot({ path: `site/public/console-${name}.png` })
  await page.close()
}

mkdirSync('site/public', { recursive: true })
await take('jobs', '/scheduler/jobs', '40 jobs')
await take('nodes', '/scheduler/nodes', '200 nodes', { scheme: 'dark' })
await take('module', '/registry/acme/network/aws', 'Downloads')
await take('secret', '/secrets', 'Versions', {
  scheme: 'dark',
  before: async (page) => {
    await page.getByLabel('Token', { exact: true }).fill('root')
    await page.getByRole('button', { name: 'Use' }).click()
    for (const link of ['secret/', 'demo/', 'database']) await page.getByRole('link', { name: link }).click()
  },
})
await browser.close()
server.kill('SIGINT')
