import { expect, it } from 'vitest'
import { outages } from '../../src/cli/runner/outages.ts'
import { testClock } from '../../src/testing/index.ts'

it('reports an outage of the scheduler once, with its cause, and again each minute', async () => {
  const clock = testClock({ now: Date.UTC(2026, 0, 1) })
  const said: string[] = []
  const failed = outages((text) => said.push(text), clock.env)
  const refused = new TypeError('fetch failed', {
    cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  })
  const heartbeat =
    'heartbeat: connection refused; is the server running, and is the address right? (ECONNREFUSED)'
  for (let second = 0; second < 3; second += 1) failed('heartbeat', refused)
  expect(said).toEqual([heartbeat])
  failed('heartbeat', new Error('503 try again\nlater'))
  failed('calls', new Error('503 try again'))
  expect(said.slice(1)).toEqual(['heartbeat: 503 try again', 'calls: 503 try again'])
  await clock.advance(60_000)
  failed('calls', new Error('503 try again'))
  expect(said.slice(3)).toEqual(['calls: 503 try again'])
})
