import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { killAll, type Server, start } from '../cli/server.ts'
import { chromium, needing } from '../programs.ts'
import { launch, open } from './browser.ts'
import { violationsOf } from './violations.ts'

/** The console of a server with sample data, in a real browser. */
describe(...needing('the console', chromium), () => {
  let server: Server
  let browser: Browser
  let page: Page
  let faults: string[]
  let home: string

  beforeAll(async () => {
    server = await start('--demo', '--root-token', 'root')
    home = server.ready.console.url
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await killAll()
  })
  beforeEach(async () => {
    ;({ page, faults } = await open(browser))
    return async () => {
      expect(faults).toEqual([])
      await page.close()
    }
  })

  const scheduler = (path: string, body: unknown, method = 'PUT') =>
    fetch(server.ready.scheduler.url + path, { method, body: JSON.stringify(body) })
  const aJob = (ID: string, more: object = {}) => ({
    Job: {
      ID,
      Name: ID,
      TaskGroups: [{ Name: 'web', Count: 1, Tasks: [{ Name: 'main', Driver: 'exec' }], ...more }],
    },
  })
  const useToken = async (text: string) => {
    await page.getByLabel('Token', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Use' }).click()
  }

  it('leads from its start to each service by keyboard alone', async () => {
    await page.goto(home)
    for (const name of ['Secrets', 'Scheduler', 'Gateway', 'Catalog', 'Registry'])
      expect(await page.getByRole('navigation').getByRole('link', { name, exact: true }).count()).toBe(1)
    await page.getByRole('heading', { name: 'Services' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  })

  it('shows a job soon after it was registered elsewhere, without a reload', async () => {
    await page.goto(`${home}/scheduler/jobs`)
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    expect((await scheduler('/v1/jobs', aJob('live-one'))).status).toBe(200)
    await page.getByRole('link', { name: 'live-one' }).waitFor()
  })

  it('filters a list, says what is wrong with a filter, and keeps it in the address', async () => {
    await page.goto(`${home}/scheduler/jobs`)
    const box = page.getByLabel('Filter')
    await box.fill('Stauts == "dead"')
    await box.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'did you mean Status?' }).waitFor()
    await box.fill('Status == "dead"')
    await box.press('Enter')
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    expect(await page.getByRole('link', { name: 'api', exact: true }).count()).toBe(0)
    await page.reload()
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    expect(await page.getByLabel('Filter').inputValue()).toBe('Status == "dead"')
    await page.goBack()
  })

  it('completes a filter by the keyboard', async () => {
    await page.goto(`${home}/scheduler/jobs`)
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    const box = page.getByRole('combobox', { name: 'Filter' })
    await box.pressSequentially('Statu')
    await page.getByRole('option', { name: 'Status', exact: false }).first().waitFor()
    await box.press('Tab')
    await expect.poll(() => box.inputValue()).toBe('Status ')
    await box.pressSequentially('== ')
    await box.pressSequentially('de')
    await page.getByRole('option', { name: '"dead"' }).waitFor()
    await box.press('Enter')
    await expect.poll(() => box.inputValue()).toBe('Status == "dead" ')
    await box.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    await box.press('Enter')
    await page.getByRole('link', { name: 'compaction' }).waitFor()
    expect(await page.getByRole('link', { name: 'api', exact: true }).count()).toBe(0)
  })

  it('plans and runs a job from its text, scales it and stops it', async () => {
    await page.goto(`${home}/scheduler/run`)
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByText(/web: .*place/).waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('heading', { name: 'hello' }).waitFor()
    await page.getByRole('link', { name: 'hello.web[0]' }).waitFor()
    // A deployment under way would refuse it.
    await page.getByText('successful', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'More of web' }).click()
    await page.getByRole('link', { name: 'hello.web[2]' }).waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Start' }).waitFor()
  })

  it('says why a group was not placed', async () => {
    await scheduler(
      '/v1/jobs',
      aJob('too-large', { Tasks: [{ Name: 'main', Driver: 'exec', Resources: { MemoryMB: 9e8 } }] }),
    )
    await page.goto(`${home}/scheduler/jobs/too-large`)
    await page.getByText('Why something was not placed').waitFor()
    await page.getByText(/web: 1 not placed/).waitFor()
  })

  it('drains a node and makes it eligible again', async () => {
    await page.goto(`${home}/scheduler/nodes`)
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').first().click()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Make ineligible' }).click()
    await page.getByRole('button', { name: 'Make eligible' }).click()
    await page.getByRole('button', { name: 'Make ineligible' }).waitFor()
  })

  it('writes a secret, reveals it, and tells of a writer who was faster', async () => {
    await page.goto(`${home}/secrets`)
    await useToken('root')
    await page.getByRole('link', { name: 'secret/' }).click()
    await page.getByRole('link', { name: 'demo/' }).click()
    await page.getByRole('link', { name: 'database' }).click()
    await page.locator('main code', { hasText: 'username' }).waitFor()
    expect(await page.getByText('db.example.com').count()).toBe(0)
    await page.getByRole('button', { name: 'Reveal host' }).click()
    await page.getByText('db.example.com').waitFor()
    await page.getByRole('button', { name: 'New version' }).click()
    await page.getByLabel('Value of field 1').fill('changed')
    await fetch(`${server.ready.secrets.url}/v1/secret/data/demo/database`, {
      method: 'POST',
      headers: { 'X-Secrets-Token': 'root' },
      body: '{"data":{"username":"faster"}}',
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('another writer was faster').waitFor()
    expect(page.url()).not.toContain('root')
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}')
  })

  it('says that a token is not permitted, and shows a sealed service as sealed', async () => {
    await page.goto(`${home}/secrets`)
    await useToken('nonsense')
    await page.getByText('Not permitted').waitFor()
    await useToken('root')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Seal' }).click()
    await page.getByText('0 of 1 key shares given').waitFor()
    await page.getByLabel('Key share').fill(server.ready.secrets.unsealKeys[0] ?? '')
    await page.getByRole('button', { name: 'Unseal' }).click()
    await page.getByRole('link', { name: 'secret/' }).waitFor()
  })

  it('shows a box with its versions, and uploads an image with its checksum', async () => {
    await page.goto(`${home}/catalog`)
    await page.getByLabel('Search').fill('debian')
    await page.getByLabel('Search').press('Enter')
    await page.getByRole('link', { name: 'acme/debian' }).click()
    await page.getByText('config.vm.box = "acme/debian"').waitFor()
    await page.getByRole('link', { name: 'Catalog', exact: true }).click()
    await useToken(server.ready.catalog.tokens['admin'] ?? '')
    await page.getByLabel('New box').fill('admin/tiny')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByLabel('Version', { exact: true }).fill('1.0.0')
    await page
      .getByLabel('Image')
      .setInputFiles({ name: 'tiny.box', mimeType: 'application/gzip', buffer: Buffer.from('image') })
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('unreleased').waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.locator('article').getByText('active').waitFor()
    await page.getByText(/sha256 /).waitFor()
    const image = await fetch(
      `${server.ready.catalog.url}/admin/boxes/tiny/versions/1.0.0/providers/virtualbox/amd64/vagrant.box`,
    )
    expect(await image.text()).toBe('image')
  })

  it('shows a module with its versions and a snippet for Terraform', async () => {
    await page.goto(`${home}/registry`)
    await page.getByRole('link', { name: 'acme/network/aws' }).click()
    await page.getByText(`source  = "${new URL(server.ready.registry.url).host}/acme/network/aws"`).waitFor()
    await page.getByLabel('Version').selectOption('1.1.0')
    await page.getByText('version = "1.1.0"').waitFor()
  })

  it('shows markup in names as text', async () => {
    const name = '<img src=x onerror="document.title=1">'
    await scheduler('/v1/jobs', { Job: { ...aJob('markup').Job, Name: name } })
    await page.goto(`${home}/scheduler/jobs/markup`)
    await page.getByRole('heading', { name }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
  })

  it('is not there for pages of other sites', async () => {
    const outside = await open(browser)
    await outside.page.goto(server.ready.gateway.url)
    const status = await outside.page
      .evaluate((url) => fetch(url).then(({ status }) => status), `${home}/services/scheduler/v1/jobs`)
      .catch(() => 'unreadable')
    expect(status).toBe('unreadable')
    const framed = await fetch(home)
    expect(framed.headers.get('x-frame-options')).toBe('DENY')
    await outside.page.close()
  })

  it('says that a service is away, and comes back by itself', async () => {
    await page.route('**/services/scheduler/v1/jobs*', (route) => route.abort())
    await page.goto(`${home}/scheduler/jobs`)
    await page.getByText('The service is away').waitFor()
    await page.unroute('**/services/scheduler/v1/jobs*')
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'has no serious violation of WCAG on any view, %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme })
      const [node] = (await (await fetch(`${server.ready.scheduler.url}/v1/nodes?per_page=1`)).json()) as {
        ID: string
      }[]
      const views = [
        '/',
        '/gateway',
        '/secrets',
        '/scheduler/jobs',
        '/scheduler/jobs/api',
        '/scheduler/run',
        '/scheduler/nodes',
        `/scheduler/nodes/${node?.ID}`,
        '/catalog',
        '/catalog/acme/debian',
        '/registry',
        '/registry/acme/network/aws',
      ]
      for (const view of views) {
        await page.goto(home + view)
        await page.locator('main h1').waitFor()
        await page.waitForLoadState('load')
        await page.waitForTimeout(300)
        expect(await violationsOf(page), view).toEqual([])
      }
    },
  )

  it('fits a phone: nothing is wider than its window', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const view of [
      '/',
      '/scheduler/jobs',
      '/scheduler/jobs/api',
      '/scheduler/nodes',
      '/catalog/acme/debian',
      '/secrets',
    ]) {
      await page.goto(home + view)
      await page.locator('main h1').waitFor()
      await page.waitForTimeout(300)
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(390)
    }
  })
})
