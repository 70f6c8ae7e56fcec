// Takes the console's 24 views, light and dark, 1440 and 390 pixels wide, into temp/screenshots, and copies those in the
// README and on the site into site/public: `node scripts/screenshots.mjs` after `npm run build`. Names as arguments take
// only those views. It needs Chromium (PLINTH_CHROMIUM, else /usr/bin/chromium).
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
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
const signIns = {
  secrets: 'root',
  catalog: Object.values(ready.catalog.tokens)[0],
  registry: ready.registry.token,
}

const press = (role, name) => (page) => page.getByRole(role, { name }).first().click()
const filter = encodeURIComponent('Status == "running" and Priority > 40')
const tested = async (page) => {
  await page.getByLabel('Path', { exact: true }).fill('secret/data/demo/database')
  await page.getByLabel('Access of').selectOption('policies')
  await page.getByLabel(/^Policies, separated/).fill('demo-reader')
  await press('button', 'Test')(page)
}

/** Each view: its path, a text that it shows, and what is done before the picture. */
const views = {
  home: ['/', 'jobs running'],
  jobs: ['/scheduler/jobs', '41 jobs'],
  filter: [`/scheduler/jobs?filter=${filter}`, 'matches', press('button', /^Why/)],
  job: ['/scheduler/jobs/api', 'Versions'],
  run: ['/scheduler/run', 'to place', press('button', 'Plan')],
  nodes: ['/scheduler/nodes', '200 nodes'],
  node: ['/scheduler/nodes', 'Attributes', (page) => page.locator('.cell').first().click()],
  allocations: ['/scheduler/allocations', /\d allocations/],
  allocation: ['/scheduler/allocations', 'Tasks', (page) => page.locator('[data-row-link]').first().click()],
  evaluations: ['/scheduler/evaluations', 'Cause'],
  evaluation: [
    `/scheduler/evaluations?filter=${encodeURIComponent('Status == "blocked"')}`,
    'Placement failures',
    (page) => page.locator('[data-row-link]').first().click(),
  ],
  deployments: ['/scheduler/deployments', 'Healthy'],
  variables: ['/scheduler/-/variables', 'New variable'],
  login: ['/secrets', 'Or sign in', undefined, { secrets: undefined }],
  secrets: ['/secrets', 'secret/'],
  secret: ['/secrets/browse/secret/demo/database', 'Metadata'],
  policies: ['/secrets/policies', 'Rule:', tested],
  tokens: ['/secrets/tokens', 'All tokens'],
  engines: ['/secrets/-/engines', 'Options', press('button', 'Enable a secrets engine')],
  users: ['/secrets/-/users', 'ada'],
  boxes: ['/catalog', 'acme/debian'],
  box: ['/catalog/acme/debian', 'Versions'],
  modules: ['/registry', 'acme/network/aws'],
  module: ['/registry/acme/network/aws', 'Downloads'],
  gateway: ['/gateway', 'Since this page was opened', (page) => page.waitForTimeout(8000)],
}

/** The variant of each picture in the README and on the site; the others are light and wide. */
const onSite = {
  'job-dark-1440': 'job',
  'nodes-dark-1440': 'nodes',
  'secret-dark-1440': 'secret',
  'tokens-dark-1440': 'tokens',
  'boxes-dark-1440': 'boxes',
  'module-dark-1440': 'module',
  'jobs-dark-390': 'jobs-phone',
}
for (const name of [
  'home',
  'jobs',
  'filter',
  'run',
  'node',
  'login',
  'policies',
  'box',
  'modules',
  'gateway',
])
  onSite[`${name}-light-1440`] = name

const folder = 'temp/screenshots'
mkdirSync(folder, { recursive: true })
const asked = process.argv.slice(2)
const taken = Object.entries(views).filter(([name]) => asked.length === 0 || asked.includes(name))
for (const width of [1440, 390])
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    for (const [name, [path, text, before, other]] of taken) {
      const page = await context.newPage()
      page.setDefaultTimeout(180_000)
      await page.addInitScript((kept) => sessionStorage.setItem('plinth-tokens ', JSON.stringify(kept)), {
        ...signIns,
        ...other,
      })
      await page.goto(ready.console.url + path)
      await before?.(page)
      await page.getByText(text).first().waitFor()
      await page.waitForTimeout(400)
      const picture = `${name}-${colorScheme}-${width}`
      await page.screenshot({ path: `${folder}/${picture}.png` })
      await page.close()
    }
    await context.close()
  }
await browser.close()
server.kill('SIGINT')

for (const [picture, name] of Object.entries(onSite)) {
  const from = `${folder}/${picture}.png`
  if (existsSync(from)) copyFileSync(from, `site/public/console-${name}.png`)
}
