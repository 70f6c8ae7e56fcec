import { expect, it } from 'vitest'
import { createMetrics } from '../../src/cli/serve/metrics/metrics.ts'

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
