// Takes the screenshots of the console in the README and on the site: `node scripts/screenshots.mjs` after `npm run
// build`.
// It needs Chromium (PLINTH_CHROMIUM, else /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'

const services = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry', 'console']
const server = spawn(process.execPath, [
  'dist/cli/main.js',
  'serve',
  '--demo',
  '--worker',
  '--json',
  '--root-token=root',
  ...services.map((name) => `--${name}-port=0`),
])
const [line] = await server.stdout.setEncoding('utf8').take(1).toArray()
const ready = JSON.parse(line)
const browser = await chromium.launch({
  executablePath: process.env['PLINTH_CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

const desktop = { width: 1100, height: 700 }
const phone = { width: 390, height: 700 }

const signIn = (token) => async (page) => {
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByLabel('Token', { exact: true }).press('Enter')
}
const click = async (page, role, name) => page.getByRole(role, { name, exact: true }).first().click()
const secret = async (page) => {
  await signIn('root')(page)
  for (const name of ['secret/', 'demo/', 'database']) await click(page, 'link', name)
}
const tested = async (page) => {
  await signIn('root')(page)
  await page.getByLabel('Path').fill('secret/data/demo/database')
  await page.getByLabel('Access of').selectOption('policies')
  await page.getByLabel(/^Policies, separated/).fill('demo-reader')
  await click(page, 'button', 'Test')
}

/** Each view: its name, its URL, a text to wait for, and how it is shown. */
const pictures = [
  ['jobs', '/scheduler/jobs', '40 jobs'],
  ['jobs-phone', '/scheduler/jobs', '40 jobs', { size: phone, scheme: 'dark' }],
  [
    'filter',
    '/scheduler/jobs?filter=Status%20%3D%3D%20%22running%22%20and%20Priority%20%3E%2040',
    'Why',
    { before: (page) => page.getByRole('button', { name: /^Why/ }).first().click() },
  ],
  ['job', '/scheduler/jobs/api', 'Allocations', { scheme: 'dark' }],
  ['run', '/scheduler/run', 'Plan', { before: (page) => click(page, 'button', 'Plan') }],
  ['nodes', '/scheduler/nodes', '200 nodes', { scheme: 'dark' }],
  ['node', '/scheduler/nodes', 'Attributes', { before: (page) => page.locator('.cell').first().click() }],
  ['login', '/secrets', 'Sign in'],
  ['secret', '/secrets', 'Versions', { scheme: 'dark', before: secret }],
  ['policies', '/secrets/policies', 'Rule:', { before: tested }],
  ['tokens', '/secrets/tokens', 'All tokens', { scheme: 'dark', before: signIn('root') }],
  ['boxes', '/catalog', 'acme/debian', { scheme: 'dark' }],
  ['box', '/catalog/acme/debian', 'Versions'],
  ['modules', '/registry', 'acme/network/aws'],
  ['module', '/registry/acme/network/aws', 'Downloads', { scheme: 'dark' }],
  ['gateway', '/gateway', 'Since this page was opened', { waitMs: 14_000 }],
]

mkdirSync('site/public', { recursive: true })
for (const [name, path, text, { size = desktop, scheme = 'light', before, waitMs = 500 } = {}] of pictures) {
  const page = await browser.newPage({ viewport: size, colorScheme: scheme })
  await page.goto(ready.console.url + path)
  await before?.(page)
  await page.getByText(text).first().waitFor()
  await page.waitForTimeout(waitMs)
  await page.screenshot({ path: `site/public/console-${name}.png` })
  await page.close()
}
await browser.close()
server.kill('SIGINT')
