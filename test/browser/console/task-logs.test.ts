import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { cluster, endAfterEach, folder, logOf, shell, slow } from '../../cli/runner-cluster.ts'
import { chromium, needing } from '../../programs.ts'
import { visit } from '../visit.ts'

describe(...needing('the console of an allocation', chromium), () => {
  endAfterEach()
  const site = visit(async () => ({ url: '', close: async () => {} }))

  it('follows the output of a task while it is written, and shows its events and its resource usage', async () => {
    const { runner, scheduler, url, live } = await cluster()
    await runner('n1')
    const source = join(folder(), 'written')
    writeFileSync(source, 'first line\n')
    await scheduler.registerJob(shell('web', `echo oops >&2; exec tail -f ${source}`))
    await expect.poll(async () => (await live('web')).length, slow).toBe(1)
    const [{ ID } = { ID: '' }] = await live('web')
    await expect.poll(() => logOf('n1', ID), slow).toBe('first line\n')
    const listening = await serve({ fetch: createConsole({ scheduler: url }).fetch })
    const { page, faults } = await site.open()
    await page.goto(`${listening.url}/scheduler/allocations/${ID}`)
    await page.getByRole('table', { name: 'Events of main' }).getByText('Started').first().waitFor()
    await page.getByText('10 MHz and 10 MB reserved').waitFor()
    const usage = page.getByRole('table', { name: 'Resource usage' })
    await usage.getByText(/^\d+ of 10 MHz \(\d+\.\d % of a core\)$/).waitFor()
    await usage.getByText(/^\d+\.\d of 10 MB$/).waitFor()
    await page.getByRole('button', { name: 'Logs of main' }).click()
    const log = page.getByRole('log', { name: 'stdout of main' })
    await log.getByText('first line').waitFor()
    appendFileSync(source, '<b>second</b> line\n')
    await log.getByText('<b>second</b> line').waitFor()
    await page.getByLabel('Output').selectOption('stderr')
    await page.getByRole('log', { name: 'stderr of main' }).getByText('oops').waitFor()
    await page.getByLabel('Output').selectOption('stdout')
    await log.getByText('first line').waitFor()
    await scheduler.deregisterJob('web')
    await page.getByText('The output is complete.').waitFor()
    expect(faults).toEqual([])
    await page.close()
    await listening.close({ drainMs: 0 })
  })
})
