import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from './prometheus.ts'

const windowMs = 30_000

/** What is told of a window, in nanoseconds. */
const statistics = {
  min: ({ min }: IntervalHistogram) => min,
  mean: ({ mean }: IntervalHistogram) => mean,
  stddev: ({ stddev }: IntervalHistogram) => stddev,
  p50: (lag: IntervalHistogram) => lag.percentile(50),
  p90: (lag: IntervalHistogram) => lag.percentile(90),
  p99: (lag: IntervalHistogram) => lag.percentile(99),
} as const

/**
 * Replaces the client's metrics of the event loop's lag, which start over with every scrape: of two scrapers, or two
 * scrapes in a row, one reads the statistics of nothing. These are of the last half minute, for every scraper.
 */
export function eventLoopLag(register: InstanceType<typeof Registry>): void {
  const start = () => {
    const histogram = monitorEventLoopDelay()
    histogram.enable()
    return histogram
  }
  let current = start()
  let last: IntervalHistogram | undefined
  setInterval(() => {
    current.disable()
    last = current
    current = start()
  }, windowMs).unref()
  const gauge = (name: string, help: string, nanoseconds: () => number) => {
    const metric = `nodejs_eventloop_lag_${name}_seconds`
    register.removeSingleMetric(metric)
    new Gauge({
      name: metric,
      help,
      registers: [register],
      collect() {
        this.set(nanoseconds() / 1e9)
      },
    })
  }
  for (const [name, of] of Object.entries(statistics)) {
    const help = `The ${name} of the event loop's lag in the last complete half minute, or since the start.`
    gauge(name, help, () => valueIn(last ?? current, of))
  }
  gauge('max', 'The longest pause of the event loop in the last half to whole minute.', () =>
    Math.max(valueIn(last, maxOf), valueIn(current, maxOf)),
  )
}

const maxOf = ({ max }: IntervalHistogram) => max

const valueIn = (lag: IntervalHistogram | undefined, of: (lag: IntervalHistogram) => number): number =>
  lag !== undefined && lag.count > 0 ? of(lag) : 0
