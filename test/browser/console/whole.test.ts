import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../../programs.ts'
import { violationsOf } from '../violations.ts'
import { aJob, demoConsole } from './demo.ts'

// Not a static import: the application is checked as a program of its own, with the types of browsers.
const administration = '../../../src/console/app/views/administration/kinds.ts'
const { kindPath, kinds } = (await import(administration)) as {
  readonly kinds: readonly unknown[]
  readonly kindPath: (kind: unknown) => string
}

describe(...needing('the console', chromium), () => {
  const under = demoConsole()
  const { goto, scheduler, secrets } = under

  it('leads from its start to each service by keyboard alone', async () => {
    const { page } = under
    await goto('')
    for (const name of ['Secrets', 'Scheduler', 'Gateway', 'Catalog', 'Registry'])
      expect(await page.getByRole('navigation').getByRole('link', { name, exact: true }).count()).toBe(1)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await page.getByRole('link', { name: 'archive' }).waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('archive')
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('compaction')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'archive' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })

  it('starts with the numbers of each service, which lead to their lists', async () => {
    const { page } = under
    await goto('')
    const count = async (path: string, filter: string) =>
      (await scheduler<unknown[]>(`${path}?namespace=*&filter=${encodeURIComponent(filter)}`)).length
    for (const [label, path, filter] of [
      ['jobs running', '/v1/jobs', 'Status == "running"'],
      ['waiting for a node', '/v1/evaluations', 'Status == "blocked"'],
      ['deployments failed', '/v1/deployments', 'Status == "failed"'],
      ['nodes down', '/v1/nodes', 'Status == "down"'],
    ] as const) {
      const figure = page.getByRole('link', { name: `${await count(path, filter)} ${label}`, exact: true })
      await figure.click()
      await page.getByRole('table').getByRole('button', { name: /^Why/ }).first().waitFor()
      expect(await page.getByLabel('Filter').inputValue()).toBe(filter)
      await page.goBack()
      await figure.waitFor()
    }
    for (const name of [
      /^unsealed seal$/,
      /^healthy health$/,
      /^40 boxes$/,
      /^40 modules$/,
      /^[\d,]+ downloads$/,
    ])
      await page.getByRole('link', { name }).first().waitFor()
    await page.getByRole('link', { name: 'Sign in to see tokens' }).click()
    await under.signIn('root')
    await page.getByRole('heading', { name: 'Mounts' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^\d+ expire within a day$/ }).waitFor()
  })

  it('names each view in the title of its page', async () => {
    const { page } = under
    for (const [view, title] of [
      ['', 'Overview'],
      ['/scheduler/jobs', 'Jobs'],
      ['/scheduler/jobs/api', 'api'],
      ['/secrets', 'Secrets'],
      ['/registry/acme/network/aws', 'acme/network/aws'],
      ['/nowhere', 'Page not found'],
    ]) {
      await goto(view ?? '')
      await expect.poll(() => page.title()).toBe(`${title} · Plinth`)
    }
  })

  it('changes its theme, and keeps it', async () => {
    const { page } = under
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    await page.emulateMedia({ colorScheme: 'light' })
    await goto('')
    const light = await background()
    await page.getByLabel('Theme').selectOption('dark')
    await expect.poll(background).not.toBe(light)
    await page.reload()
    await expect.poll(background).not.toBe(light)
    await page.getByLabel('Theme').selectOption('system')
    await expect.poll(background).toBe(light)
  })

  it.each(['/scheduler/jobs', '/catalog', '/registry'])(
    'goes to the field of %s with a slash',
    async (view) => {
      const { page } = under
      await goto(view)
      await page.getByRole('table').first().waitFor()
      await page.keyboard.press('/')
      await page.keyboard.type('x/y?')
      const field = page.locator('main [data-query]')
      expect(await field.inputValue()).toBe('x/y?')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
      await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(true)
    },
  )

  it('shows markup in names as text', async () => {
    const { page } = under
    const name = '<img src=x onerror="document.title=1">'
    await scheduler('/v1/jobs', aJob('markup', {}, { Name: name }))
    await goto('/scheduler/jobs')
    await page.getByText(name).waitFor()
    await goto('/scheduler/jobs/markup')
    await page.getByRole('heading', { name }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
  })

  it('is not there for pages of other sites', async () => {
    const outside = await under.open()
    await outside.page.goto(under.ready().gateway.url)
    const jobs = `${under.home}/services/scheduler/v1/jobs`
    const tries = {
      read: `fetch('${jobs}').then((answer) => answer.text())`,
      blind: `fetch('${jobs}', { mode: 'no-cors', credentials: 'include' }).then((answer) => answer.type)`,
      write: `fetch('${jobs}', { method: 'POST', mode: 'no-cors', body: '{"Job":{"ID":"foreign"}}' })`,
    }
    expect(await outside.page.evaluate(tries.read).catch(() => 'unreadable')).toBe('unreadable')
    expect(await outside.page.evaluate(tries.blind).catch(() => 'blocked')).toMatch(/opaque|blocked/)
    await outside.page.evaluate(tries.write).catch(() => {})
    const there = await scheduler<{ ID: string }[]>('/v1/jobs')
    expect(there.map(({ ID }) => ID)).not.toContain('foreign')
    const page = await fetch(under.home)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('access-control-allow-origin')).toBe(null)
    expect(page.headers.get('set-cookie')).toBe(null)
    await outside.page.close()
  })

  it.each([
    [403, {}, 'Not permitted'],
    [429, { 'retry-after': '1' }, 'Too many requests'],
    [503, {}, 'The service failed (503)'],
    [0, {}, 'The service is unreachable'],
  ])('shows %i of a service, and comes back by itself', async (status, headers, text) => {
    const { page } = under
    const jobs = '**/services/scheduler/v1/jobs*'
    await page.route(jobs, (route) =>
      status === 0 ? route.abort() : route.fulfill({ status, headers, body: 'no' }),
    )
    await goto('/scheduler/jobs')
    await page.getByRole('alert').filter({ hasText: text }).waitFor()
    await page.unroute(jobs)
    // Only another token can change what is not permitted.
    if (status === 403) await under.signIn('another')
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'hidden' })
  })

  it('keeps its contents while a service is temporarily unreachable', async () => {
    const { page } = under
    await goto('/scheduler/jobs')
    await page.getByRole('link', { name: 'api', exact: true }).waitFor()
    const jobs = '**/services/scheduler/v1/jobs*'
    await page.route(jobs, (route) => route.abort())
    await scheduler('/v1/jobs', aJob('meanwhile'))
    await page.getByRole('alert').filter({ hasText: 'The service is unreachable' }).waitFor()
    expect(await page.getByRole('link', { name: 'api', exact: true }).count()).toBe(1)
    await page.unroute(jobs)
    await page.getByRole('link', { name: 'meanwhile' }).waitFor()
  })

  it('waits for a slow service without asking it twice', async () => {
    const { page } = under
    let asked = 0
    let answer = () => {}
    await page.route('**/services/registry/v1/modules?*', async (route) => {
      asked += 1
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      await route.continue()
    })
    await goto('/registry')
    await page.getByRole('heading', { name: 'Modules' }).waitFor()
    await expect.poll(() => asked).toBe(1)
    answer()
    await page.getByRole('link', { name: 'acme/network/aws' }).waitFor()
    expect(asked).toBe(1)
  })

  const views = async () => {
    const [[node], [evaluation], [allocation]] = await Promise.all([
      scheduler<{ ID: string }[]>('/v1/nodes?per_page=1'),
      scheduler<{ ID: string }[]>('/v1/evaluations?per_page=1&namespace=*'),
      scheduler<{ ID: string }[]>('/v1/allocations?per_page=1&namespace=*'),
    ])
    return [
      '/',
      '/gateway',
      '/secrets',
      '/scheduler/jobs',
      '/scheduler/jobs/api',
      '/scheduler/run',
      '/scheduler/nodes',
      `/scheduler/nodes/${node?.ID}`,
      '/scheduler/allocations',
      `/scheduler/allocations/${allocation?.ID}`,
      '/scheduler/evaluations',
      `/scheduler/evaluations/${evaluation?.ID}`,
      '/scheduler/deployments',
      '/catalog',
      '/catalog/acme/debian',
      '/registry',
      '/registry/acme/network/aws',
    ]
  }
  const signedInViews = [
    '/secrets/policies?name=demo-reader&line=1',
    '/secrets/tokens',
    '/secrets/browse/secret/demo/',
    '/secrets/browse/secret/demo/database',
    ...kinds.map(kindPath),
  ]
  /** Shows each view: first those that need no sign-in, then those that do, each with its form open. */
  const eachView = async (look: (view: string) => Promise<void>) => {
    const { page } = under
    for (const view of await views()) {
      await goto(view)
      await page.locator('main h1').waitFor()
      await page.waitForTimeout(300)
      await look(view)
    }
    for (const method of ['approle', 'jwt'])
      await secrets(`sys/auth/${method}`, { type: method }).catch(() => {})
    await secrets('auth/approle/role/ci', {})
    const tokens = JSON.stringify({
      secrets: 'root',
      catalog: Object.values(under.ready().catalog.tokens)[0],
      registry: under.ready().registry.token,
    })
    await page.addInitScript(`sessionStorage.setItem('plinth-tokens ', ${JSON.stringify(tokens)})`)
    for (const view of signedInViews) {
      await goto(view)
      await page.locator('main h1').waitFor()
      await page.waitForTimeout(300)
      await look(view)
      const create = page.locator('main .title button').filter({ hasText: /^\s*(?:New|Enable) / })
      if (!view.includes('/-/') || (await create.count()) === 0) continue
      await create.click()
      await page.getByRole('dialog').waitFor()
      await look(`the form of ${view}`)
    }
    await goto('/scheduler/jobs/api')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await look('the question of Stop')
  }

  it.each(['light', 'dark'] as const)(
    'has no serious violation of WCAG on any view, %s',
    async (colorScheme) => {
      await under.page.emulateMedia({ colorScheme })
      await eachView(async (view) => {
        expect(await violationsOf(under.page), view).toEqual([])
      })
    },
  )

  it('fits a phone: nothing is wider than its window', async () => {
    await under.page.setViewportSize({ width: 390, height: 800 })
    await eachView(async (view) => {
      expect(await under.page.evaluate('document.documentElement.scrollWidth'), view).toBeLessThanOrEqual(390)
    })
  })
})
