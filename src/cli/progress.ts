/** How far a long work has come, for the person who waits for it. */
export interface Progress {
  /** Tells how much is done, in any unit. */
  readonly report: (done: number, total: number) => void
  /** Ends it: done, or broken off. */
  readonly end: () => void
}

/** Where progress is shown. */
export interface ProgressOptions {
  /** Shows nothing, as with `--json`. */
  readonly quiet?: boolean
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }
}

const barWidth = 30

/**
 * Shows progress on standard error: a bar on a terminal, otherwise a line for every ten percent.
 *
 * @param what - a word or two, such as `records`
 */
export function progress(
  what: string,
  { quiet = false, stream = process.stderr }: ProgressOptions = {},
): Progress {
  if (quiet) return { report: () => {}, end: () => {} }
  return stream.isTTY === true ? bar(what, stream) : lines(what, stream)
}

function lines(what: string, stream: NodeJS.WritableStream): Progress {
  let shown = -1
  return {
    report: (done, total) => {
      const tens = Math.floor(percentOf(done, total) / 10)
      if (tens <= shown) return
      shown = tens
      stream.write(`${what}: ${tens * 10}%\n`)
    },
    end: () => {},
  }
}

function bar(what: string, stream: NodeJS.WritableStream): Progress {
  let shown = -1
  return {
    report: (done, total) => {
      const percent = percentOf(done, total)
      if (percent <= shown) return
      shown = percent
      const full = Math.round((percent / 100) * barWidth)
      stream.write(`\r${what} [${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] ${percent}%`)
    },
    end: () => {
      if (shown >= 0) stream.write('\n')
      shown = 100
    },
  }
}

/** Nothing to do is done. */
const percentOf = (done: number, total: number): number =>
  total <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor((done / total) * 100)))
