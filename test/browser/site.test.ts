import { existsSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { chromium, needing } from '../programs.ts'
import { serveSite, siteFolder } from './site-server.ts'
import { violationsOf } from './violations.ts'
import { visit } from './visit.ts'

const [title, options] = needing('the site', chromium)
const isBuilt = existsSync(siteFolder)
const reason = isBuilt ? title : `${title} (the site is not built: npm run docs:build)`

const pages = [
  '/',
  '/start/filter-users',
  '/guide/typed-clients',
  '/reference/filter',
  '/reference/endpoints/registry',
  '/reference/lifecycles',
  '/explanation/benchmarks',
  '/explanation/comparison',
  '/api/paging',
]

/** The built site, in a real browser. */
describe(reason, { ...options, skip: options.skip || !isBuilt }, () => {
  const site = visit(serveSite)

  it.each(pages.flatMap((path) => [[path, 1280] as const, [path, 390] as const]))(
    '%s is accessible and fits a screen of %i',
    async (path, width) => {
      const { page, faults } = await site.open({ viewport: { width, height: 800 } })
      await page.goto(site.url + path)
      await page.locator('h1').first().waitFor()
      expect(await violationsOf(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      expect(faults).toEqual([])
      await page.close()
    },
  )

  it('shows every lifecycle on a phone without scrolling sideways', async () => {
    const { page } = await site.open({ viewport: { width: 390, height: 800 } })
    await page.goto(`${site.url}/reference/lifecycles`)
    await page.locator('.state-diagram').first().waitFor()
    const widths = await page
      .locator('.state-diagram')
      .evaluateAll((all) => all.map((each) => [each.scrollWidth, each.clientWidth]))
    expect(widths.length).toBeGreaterThan(10)
    for (const [content, column] of widths) expect(content).toBeLessThanOrEqual(column ?? 0)
    await page.close()
  })

  it.each(['/', '/reference/lifecycles', '/explanation/benchmarks'])(
    '%s is accessible in the dark',
    async (path) => {
      const { page } = await site.open({ colorScheme: 'dark' })
      await page.goto(site.url + path)
      await page.locator('h1').first().waitFor()
      expect(await violationsOf(page, path === '/' ? '.home' : 'main')).toEqual([])
      await page.close()
    },
  )

  it.each([
    [1440, 900],
    [390, 844],
  ])(
    'shows what it is for, each with code or a picture, on the first screen of %i × %i',
    async (width, height) => {
      const { page } = await site.open({ viewport: { width, height } })
      await page.goto(site.url)
      const uses = page.locator('.uses > div')
      await uses.first().waitFor()
      const bottoms = await uses.evaluateAll((all) =>
        all.map((use) => (use.querySelector('pre, img') ?? use).getBoundingClientRect().bottom),
      )
      // A phone shows the picture of the console below them.
      expect(bottoms.length).toBe(6)
      for (const bottom of bottoms.slice(0, 5)) expect(bottom).toBeLessThanOrEqual(height)
      const cut = await uses
        .locator('pre')
        .evaluateAll((all) => all.filter((code) => code.scrollWidth > code.clientWidth).length)
      expect(cut).toBe(0)
      await page.close()
    },
  )

  it('sends at most 300 kB for its home page, and asks no other host', async () => {
    const { page } = await site.open()
    const sizes: Promise<number>[] = []
    const elsewhere: string[] = []
    page.on('response', (response) => {
      if (!response.url().startsWith(site.url)) return void elsewhere.push(response.url())
      const isCompressed = /\.(?:woff2|png)$/.test(response.url())
      sizes.push(response.body().then((body) => (isCompressed ? body : gzipSync(body)).length))
    })
    await page.goto(site.url, { waitUntil: 'networkidle' })
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
    expect(elsewhere.filter((url) => !url.startsWith('data:'))).toEqual([])
    expect(sizes.length).toBeGreaterThan(3)
    expect(bytes).toBeLessThanOrEqual(300_000)
    await page.close()
  })

  it('finds the words of other products, and guides before lists', async () => {
    const { page } = await site.open()
    await page.goto(`${site.url}/guide/run-jobs`)
    await page.locator('h1').waitFor()
    await page.getByRole('button', { name: 'Search' }).first().click()
    for (const [words, found] of [
      ['vault', /\/(?:guide|recipes|start)\//],
      ['nomad', /\/guide\/(?:run-jobs|scheduler-rules|typed-clients)/],
      ['token expired', /\/guide\/secrets-rules/],
      ['terraform', /\/guide\/module-registry/],
      ['opentofu', /\/guide\/module-registry/],
      ['hcp', /\/guide\/replace-hcp-vagrant/],
      ['k8s', /\/explanation\/comparison/],
      ['sso', /\/guide\/log-in-from-ci/],
      ['rbac', /\/guide\/secrets-rules/],
      ['pagination', /\/guide\/paging/],
      ['prisma', /\/recipes\/prisma/],
    ] as const) {
      await page.getByRole('searchbox').fill(words)
      const links = () =>
        page
          .getByRole('option')
          .evaluateAll((all) =>
            all.slice(0, 5).map((each) => each.querySelector('a')?.getAttribute('href') ?? ''),
          )
      await expect.poll(links, { message: words }).toContainEqual(expect.stringMatching(found))
    }
    await page.close()
  })

  it('names a picture that social sites show', async () => {
    const { page } = await site.open()
    await page.goto(site.url)
    const picture = await page.locator('meta[property="og:image"]').getAttribute('content')
    expect(picture).toMatch(/^https:.*\/site\/public\/social\.png$/)
    expect(existsSync('site/public/social.png')).toBe(true)
    await page.close()
  })

  it('finds a page by its text', async () => {
    const { page, faults } = await site.open()
    await page.goto(`${site.url}/guide/run-jobs`)
    await page.locator('h1').waitFor()
    await page.getByRole('button', { name: 'Search' }).first().click()
    await page.getByRole('searchbox').fill('parsePageToken')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/paging/)
    expect(faults).toEqual([])
    await page.close()
  })
})
