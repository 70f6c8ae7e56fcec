import { expect, it } from 'vitest'
import { createMetrics } from '../../src/cli/serve/metrics/metrics.ts'

it('tells every scraper the longest pause from the first scrape after it', async () => {
  const metrics = createMetrics()
  const longest = async () =>
    Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(await metrics.text())?.[1])
  // Its timer measures a pause once it has fired before it.
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (const end = performance.now() + 200; performance.now() < end; );
  await new Promise((resolve) => setTimeout(resolve, 50))
  for (const seconds of [await longest(), await longest()]) expect(seconds).toBeGreaterThan(0.15)
})

it('tells two scrapers the lag of the event loop in seconds, none of them the lag of nothing', async () => {
  const metrics = createMetrics()
  for (const text of [await metrics.text(), await metrics.text()]) {
    const lags = text.split('\n').filter((line) => line.startsWith('nodejs_eventloop_lag_'))
    expect(lags).toHaveLength(8)
    for (const line of lags) {
      const seconds = Number(line.split(' ')[1])
      expect([line, seconds >= 0 && seconds < 1e6]).toEqual([line, true])
    }
  }
})
