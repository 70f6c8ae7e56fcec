import { control, printable } from './terminal.ts'

/** The progress of a long operation, for the person who waits for it. */
export interface Progress {
  /** Reports how much is done, in any unit. */
  readonly report: (done: number, total: number) => void
  /** Ends it: complete or interrupted. */
  readonly end: () => void
}

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Where progress is shown. */
export interface ProgressOptions {
  /** Shows nothing, as with `--json`. */
  readonly quiet?: boolean
  readonly stream?: Stream
}

const barWidth = 30
const narrowest = 40
/** Moves to the start of the line and clears it. */
const clearLine = '\r\x1b[K'

/**
 * Shows progress on standard error: a bar on a terminal, otherwise a line for every ten percent. If there are several
 * bars, the oldest has the line; another one is printed above it when it ends.
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

function lines(what: string, stream: Stream): Progress {
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

/** A bar that is shown and has not ended. */
interface Bar {
  readonly what: string
  percent: number
}

const barsOf = new WeakMap<Stream, Set<Bar>>()

function bar(what: string, stream: Stream): Progress {
  const bars = barsOf.get(stream) ?? new Set()
  barsOf.set(stream, bars)
  const own: Bar = { what: printable(what), percent: -1 }
  const draw = () => {
    const [oldest] = bars
    if (oldest) stream.write(control(clearLine + lineOf(oldest, stream)))
  }
  return {
    report: (done, total) => {
      const percent = percentOf(done, total)
      if (percent <= own.percent) return
      own.percent = percent
      bars.add(own)
      const [oldest] = bars
      if (oldest === own) draw()
    },
    end: () => {
      if (!bars.delete(own)) return
      stream.write(control(`${clearLine}${lineOf(own, stream)}\n`))
      draw()
    },
  }
}

/** Limited to one line: a wrapped line could not be overwritten. */
function lineOf({ what, percent }: Bar, stream: Stream): string {
  // A terminal with an unknown width reports 0.
  const columns = stream.columns || 80
  const full = Math.round((percent / 100) * barWidth)
  const drawn = `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `
  const end = ` ${columns < narrowest + what.length ? '' : drawn}${percent}%`
  const room = Math.max(8, columns - end.length - 1)
  return `${what.length > room ? `${what.slice(0, room - 1)}…` : what}${end}`
}

/** An empty task counts as complete. */
const percentOf = (done: number, total: number): number =>
  total <= 0 ? 100 : Math.min(100, Math.max(0, Math.floor((done / total) * 100)))
