import { describe, expect, it } from 'vitest'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { unwrap } from '../../../src/kernel/index.ts'
import { createScheduler, type Scheduler } from '../../../src/scheduler/index.ts'
import { chromium, needing } from '../../programs.ts'
import { consoleUnderTest } from './under-test.ts'

const nameOf = (at: number): string => `load-${String(at).padStart(6, '0')}`

describe(...needing('a list of 20,000 jobs', chromium), () => {
  let scheduler: Scheduler
  const register = async (id: string) =>
    unwrap(
      await scheduler.registerJob({
        ID: id,
        TaskGroups: [{ Name: 'web', Count: 0, Tasks: [{ Name: 'main', Driver: 'exec' }] }],
      }),
    )
  const under = consoleUnderTest(async () => {
    scheduler = createScheduler()
    for (let at = 0; at < 20_000; at += 1) await register(nameOf(at))
    const listening = await serve({ fetch: createConsole({ scheduler }).fetch })
    return {
      url: listening.url,
      close: async () => {
        await listening.close({ drainMs: 0 })
        await scheduler.close()
      },
    }
  })
  const rowsInPage = () => under.page.locator('tbody tr').count()

  it('reads the pages that come into view, and renders the rows in view', async () => {
    const { page } = under
    let asked = 0
    page.on('request', (request) => {
      if (/\/v1\/jobs\?/.test(request.url()) && !/index=/.test(request.url())) asked += 1
    })
    await under.goto('/scheduler/jobs')
    await page.getByRole('link', { name: nameOf(0) }).waitFor()
    await page.getByText(/or more jobs/).waitFor()
    expect(asked).toBeLessThanOrEqual(2)
    for (const at of [190, 390, 1_990]) {
      while (!(await page.getByRole('link', { name: nameOf(at) }).isVisible())) {
        await page.mouse.move(600, 400)
        await page.mouse.wheel(0, 500)
      }
      expect(await rowsInPage()).toBeLessThan(100)
    }
    expect(asked).toBeLessThan(20)
  })

  it('says that it is too long to sort, and what would help', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByRole('button', { name: 'Priority' }).click()
    await page.getByText('Only lists of up to 5,000 rows are sorted: filter this one first.').waitFor()
    await under.goto('/scheduler/jobs?filter=load-0012&sort=-Job')
    await page.getByText('100 jobs').waitFor()
    expect(await page.locator('tbody [data-row-link]').first().textContent()).toBe(nameOf(1_299))
  })

  it('shows a job that is registered in view, and reads only the pages in view for it', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByRole('link', { name: nameOf(0) }).waitFor()
    await register('a-new-one')
    await page.getByRole('link', { name: 'a-new-one' }).waitFor()
    expect(await rowsInPage()).toBeLessThan(100)
  })

  it('moves the focus one row for each arrow key, beyond the rows rendered at first', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByRole('link', { name: nameOf(0) }).focus()
    for (let at = 0; at < 120; at += 1) await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.textContent')).toBe(nameOf(120))
  })

  it('moves one row for each arrow key, even if no frame is drawn between them', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByRole('link', { name: nameOf(0) }).focus()
    // Microtasks run between the keys, as between real ones, but no frame is drawn before the loop ends.
    await page.evaluate(`(async () => {
      for (let at = 0; at < 120; at += 1) {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }))
        await undefined
      }
    })()`)
    expect(await page.evaluate('document.activeElement.textContent')).toBe(nameOf(120))
  })

  it('continues from the rows in view when the focused row was scrolled out of view', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByRole('link', { name: nameOf(0) }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.evaluate('scrollTo(0, 4000)')
    await page.getByRole('link', { name: nameOf(0) }).waitFor({ state: 'detached' })
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('scrollY')).toBe(4000)
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/^load-0000(?:8|9)\d$/)
  })
})

describe(...needing('a list of 100,000 rows in one answer', chromium), () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => ({
    ID: nameOf(at),
    Name: nameOf(at),
    Namespace: 'default',
    Status: 'running',
    Type: 'service',
    Priority: 50,
    SubmitTime: 1,
    JobSummary: { Summary: { web: { Running: 1 } } },
  }))
  const under = consoleUnderTest(async () => {
    const scheduler = async () => Response.json(rows)
    const listening = await serve({ fetch: createConsole({ scheduler }).fetch })
    return { url: listening.url, close: () => listening.close({ drainMs: 0 }) }
  })

  it('is scrolled to its end, and stays a page of some rows', async () => {
    const { page } = under
    await under.goto('/scheduler/jobs')
    await page.getByText('100,000 jobs').waitFor()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByRole('link', { name: nameOf(99_999) }).waitFor()
    expect(await page.locator('tbody tr').count()).toBeLessThan(100)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByRole('link', { name: nameOf(0) }).waitFor()
  })
})
