import { expect, it } from 'vitest'
import { createScheduler } from '../../src/scheduler/index.ts'
import { isStoreError } from '../../src/store/index.ts'

it('a service that was closed answers 503, and its methods say closed', async () => {
  const scheduler = createScheduler()
  await scheduler.close()
  const answer = await scheduler.fetch(new Request('http://s.test/v1/jobs'))
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, null])
  expect(await answer.text()).toMatch('closed: no more requests are answered (reference ')
  const failure = await scheduler.listJobs().catch((error: unknown) => error)
  expect(isStoreError(failure, 'closed')).toBe(true)
})
