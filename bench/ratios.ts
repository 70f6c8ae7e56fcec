import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

/** One line of a chart: a ratio to what the bench compares with for each case, and the median of them. */
export interface Ratios {
  readonly name: string
  /** In the order of the cases; `null` where it has no such case. */
  readonly ratios: readonly (number | null)[]
  readonly median: number
}

/** Writes what a bench measured, as the charts of the site read it. */
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
