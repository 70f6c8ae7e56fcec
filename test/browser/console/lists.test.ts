import { describe, expect, it } from 'vitest'
import { createCatalog } from '../../../src/catalog/index.ts'
import { demoCatalog } from '../../../src/cli/serve/demo/boxes.ts'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { demoCluster } from '../../../src/scheduler/demo/index.ts'
import { createScheduler } from '../../../src/scheduler/index.ts'
import { chromium, needing } from '../../programs.ts'
import { consoleUnderTest } from './under-test.ts'

describe(...needing('the lists of a console', chromium), () => {
  const under = consoleUnderTest(async () => {
    const scheduler = createScheduler()
    const catalog = createCatalog()
    unwrap(await scheduler.load(demoCluster(1, Date.now())))
    unwrap(await catalog.load(demoCatalog()))
    const listening = await serve({ fetch: createConsole({ scheduler, catalog }).fetch })
    return {
      url: listening.url,
      close: async () => {
        await listening.close({ drainMs: 0 })
        await Promise.all([scheduler.close(), catalog.close()])
      },
    }
  })
  const cells = async (title: string) => {
    const { page } = under
    const titles = await page.locator('thead th').allTextContents()
    return page.locator(`tbody td:nth-child(${titles.indexOf(title) + 1})`).allTextContents()
  }

  it('are sorted by the keyboard, say so to screen readers, and keep the order in the URL', async () => {
    const { page } = under
    await under.goto('/scheduler/nodes')
    const heading = page.getByRole('columnheader', { name: 'Memory MB' })
    await heading.getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.locator('th[aria-sort="ascending"]').waitFor()
    const ascending = (await cells('Memory MB')).map(Number)
    expect(ascending).toEqual([...ascending].sort((a, b) => a - b))
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Memory MB')
    await page.keyboard.press('Enter')
    await page.locator('th[aria-sort="descending"]').waitFor()
    const descending = (await cells('Memory MB')).map(Number)
    expect(descending).toEqual([...descending].sort((a, b) => b - a))
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-Memory MB')
    await page.reload()
    await page.locator('th[aria-sort="descending"]').waitFor()
    await page.getByRole('button', { name: 'Memory MB' }).click()
    await page.locator('th[aria-sort]').waitFor({ state: 'detached' })
  })

  it('are filtered by the values of a property, which write the filter expression', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    const filter = page.getByRole('combobox', { name: 'Filter' })
    const status = page.getByRole('group', { name: 'Status' })
    await status.getByRole('button', { name: /^running \d+$/ }).click()
    await expect.poll(() => filter.inputValue()).toBe('Status == "running"')
    await page
      .getByRole('group', { name: 'Type' })
      .getByRole('button', { name: /^batch/ })
      .click()
    await expect.poll(() => filter.inputValue()).toBe('Status == "running" and Type == "batch"')
    await expect.poll(async () => new Set(await cells('Type'))).toEqual(new Set(['batch']))
    expect(new Set(await cells('Status'))).toEqual(new Set(['running']))
    await status.getByRole('button', { name: /^dead/ }).click()
    await expect.poll(() => filter.inputValue()).toBe('Type == "batch" and Status == "dead"')
    await status.getByRole('button', { name: /^dead/, pressed: true }).click()
    await expect.poll(() => filter.inputValue()).toBe('Type == "batch"')
  })

  it('join a value to words and to alternatives that are in the filter already', async () => {
    const { page } = under
    const filter = page.getByRole('combobox', { name: 'Filter' })
    const running = page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /^running/ })
    await under.goto('/scheduler/jobs?filter=a')
    await running.click()
    await expect
      .poll(() => filter.inputValue())
      .toBe('(ID contains "a" or Name contains "a") and Status == "running"')
    await under.goto(
      `/scheduler/jobs?filter=${encodeURIComponent('Type == "batch" or (Priority > 60 and Type == "service")')}`,
    )
    await running.click()
    await expect
      .poll(() => filter.inputValue())
      .toBe('(Type == "batch" or (Priority > 60 and Type == "service")) and Status == "running"')
  })

  it('are sorted by the service where it can, and narrowed to a provider', async () => {
    const { page } = under
    await under.goto('/catalog')
    const asked = page.waitForRequest(/search\?.*sort=downloads&order=asc/)
    await page.getByRole('button', { name: 'Downloads' }).click()
    await asked
    await page.locator('th[aria-sort="ascending"]').waitFor()
    const numbers = async () => (await cells('Downloads')).map((text) => Number(text.replaceAll(',', '')))
    await expect.poll(numbers).toEqual((await numbers()).sort((a, b) => a - b))
    const libvirt = page.getByRole('button', { name: /^libvirt \d+$/ })
    const [, count] = (await libvirt.textContent())?.split(' ') ?? []
    await libvirt.click()
    await expect.poll(() => new URL(page.url()).searchParams.get('provider')).toBe('libvirt')
    await page
      .getByRole('status')
      .filter({ hasText: `${count} boxes` })
      .waitFor()
    expect(await cells('Box')).toHaveLength(Number(count))
  })
})
