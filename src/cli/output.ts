import { once } from 'node:events'
import { whyNot } from './file-text.ts'
import { guardTerminal } from './terminal.ts'

/** How the process ends when standard output cannot be written, as on a full disk. */
export const outputFailure = { exitCode: 1 }

const { stdout, stderr } = process
const reader = new AbortController()

/**
 * Watches standard output and standard error, and escapes control characters on a terminal. A reader may leave before the
 * end (`plinth list PATH | head -1`), which is not an error; any other failure ends the process with one line.
 */
export function watchOutput(): void {
  guardTerminal(stdout)
  guardTerminal(stderr)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return reader.abort()
    stderr.write(`plinth: cannot write to standard output: ${whyNot(error)}\n`)
    process.exit(outputFailure.exitCode)
  })
  // There is nowhere left to report it.
  stderr.on('error', () => {})
}

/** Writes to standard output, no faster than it is read; false once the reader is gone. */
export async function writeOutput(text: string): Promise<boolean> {
  if (reader.signal.aborted) return false
  if (!stdout.write(text)) await once(stdout, 'drain', { signal: reader.signal }).catch(() => {})
  return !reader.signal.aborted
}
