/**
 * Measuring side by side: every candidate runs in every round, in turn, and medians are compared, so that a
 * machine whose speed drifts favours no candidate. Times are those of the processor, garbage collection included: the
 * clock counts what other processes do meanwhile, and of a long run more than of a short one. Quote ratios, not single
 * times.
 */

/** What to run: `run` does `operations` operations and returns something, so that no work is optimised away. */
export interface Candidate {
  readonly name: string
  readonly operations: number
  readonly run: () => unknown
}

/** A candidate's median processor time for one operation. */
export interface Measured {
  readonly name: string
  readonly nanoseconds: number
}

let sink: unknown

/** Runs the candidates in interleaved rounds, warm-ups first; asynchronous runs are awaited. */
export async function measure(
  candidates: readonly Candidate[],
  { rounds = 7, warmups = 2 } = {},
): Promise<readonly Measured[]> {
  const times = candidates.map((): number[] => [])
  for (let round = -warmups; round < rounds; round += 1) {
    for (const [index, { operations, run }] of candidates.entries()) {
      const before = process.cpuUsage()
      const result = run()
      sink = result instanceof Promise ? await result : result
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) times[index]?.push(((user + system) * 1000) / operations)
    }
  }
  return candidates.map(({ name }, index) => ({ name, nanoseconds: median(times[index] ?? []) }))
}

/** The middle value of a list; of two middle ones, their mean. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** Prints rows in aligned columns, the first row being the heading. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  for (const row of rows)
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
}

/** A time for people: `85 ns`, `1.2 µs`, `3.4 ms`. */
export const time = (nanoseconds: number): string => {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(nanoseconds < 10 ? 1 : 0)} ns`
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(1)} µs`
  return `${(nanoseconds / 1e6).toFixed(1)} ms`
}

/** Keeps the last result reachable, so that engines cannot drop the measured work. */
export const lastResult = (): unknown => sink
