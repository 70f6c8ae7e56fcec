// Interleaved rounds: every contender runs once per round, so that a slow moment of the machine hits all alike.

/** The median time of each run, in nanoseconds, divided by how many things one run does. */
export function medians(
  runs: ReadonlyMap<string, () => unknown>,
  options: { readonly rounds: number; readonly warmup: number; readonly divide: number },
): Map<string, number> {
  const samples = new Map<string, number[]>()
  for (let round = -options.warmup; round < options.rounds; round += 1) {
    for (const [name, run] of runs) {
      const start = process.hrtime.bigint()
      run()
      const time = Number(process.hrtime.bigint() - start) / options.divide
      if (round < 0) continue
      const known = samples.get(name)
      if (known === undefined) samples.set(name, [time])
      else known.push(time)
    }
  }
  return new Map([...samples].map(([name, times]) => [name, median(times)]))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}

/** How many times the base a time is. */
export const ratio = (time: number, base: number | undefined): string =>
  base === undefined ? '?' : `${(time / base).toFixed(1)}×`

/** One line of a table with a wide first column. */
export const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(16)).join('')
