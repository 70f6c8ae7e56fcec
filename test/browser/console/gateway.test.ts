import { describe, it } from 'vitest'
import { createConsole } from '../../../src/console/index.ts'
import { serve } from '../../../src/http/node/index.ts'
import { chromium, needing } from '../../programs.ts'
import { consoleUnderTest } from './under-test.ts'

describe(...needing('the console of a gateway', chromium), () => {
  let status = 200
  let state = 'active'
  let sessions = 3
  const under = consoleUnderTest(async () => {
    const gateway = async () =>
      Response.json(
        {
          worker_process_info: {
            state,
            active_session_count: sessions,
            upstream_connection_state: 'READY',
            session_connections: { s_1: sessions },
          },
        },
        { status },
      )
    const listening = await serve({ fetch: createConsole({ gateway }).fetch })
    return { url: listening.url, close: () => listening.close() }
  })

  it('shows health, worker and the grace of a shutdown over time', async () => {
    const { page } = under
    const conditions = page.getByRole('table', { name: 'Conditions' })
    await under.goto('/gateway')
    await conditions.getByText('healthy', { exact: true }).waitFor()
    await page.getByRole('img', { name: 'Sessions: 3 now, 3 at most' }).waitFor()
    await page.getByText('Connections of s_1').waitFor()
    ;[status, state, sessions] = [503, 'shutdown', 1]
    await conditions.getByText('shutting down').waitFor()
    await page.getByRole('img', { name: 'Sessions: 1 now, 3 at most' }).waitFor()
    status = 502
    await conditions.getByText('away').waitFor()
    ;[status, state] = [200, 'active']
    await conditions.getByRole('row').nth(3).waitFor()
    await conditions.getByText('healthy', { exact: true }).nth(1).waitFor()
  })
})
