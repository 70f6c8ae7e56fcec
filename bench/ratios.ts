import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** One line of a chart: the ratio of each case to the baseline, and the median. */
export interface Ratios {
  readonly name: string
  /** In the order of the cases; `null` where it has no such case. */
  readonly ratios: readonly (number | null)[]
  readonly median: number
}

/** Writes results in the format of the site's charts. */
export function writeRatios(
  file: string,
  bench: string,
  cases: readonly string[],
  series: readonly Ratios[],
): void {
  const measured = {
    bench,
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    day: new Date().toISOString().slice(0, 10),
    cases,
    series: series.map(({ name, ratios, median }) => ({
      name,
      ratios: ratios.map((ratio) => (ratio === null ? null : rounded(ratio))),
      median: rounded(median),
    })),
  }
  writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
}

const rounded = (value: number) => Number(value.toPrecision(3))
