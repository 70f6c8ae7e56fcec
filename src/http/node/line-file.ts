import { write } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { nextMacrotask } from '../../kernel/next-macrotask.ts'

/**
 * A file to which lines are appended.
 */
export interface LineFile {
  /**
   * Appends one line, which ends in a newline.
   *
   * @returns a promise that resolves once the line is written, and rejects if it could not be, for example because the
   *   disk is full
   */
  readonly write: (line: string) => Promise<void>
  /** Reopens the path, after log rotation has moved the file away. On failure the old file stays open. */
  readonly reopen: () => Promise<void>
  /** Flushes and closes the file. */
  readonly close: () => Promise<void>
}

/**
 * Opens a file for appending lines, such as an audit log. Lines of the same turn are written together.
 *
 * @remarks
 * The file is created if it does not exist, readable by its owner only (mode 0600). A line is handed to the operating
 * system before `write` resolves; it is not synced to disk.
 *
 * @throws the system's error if the path cannot be opened: it is a directory, or not writable
 *
 * @example
 * ```ts
 * import { mkdtemp, readFile } from 'node:fs/promises'
 * import { tmpdir } from 'node:os'
 * import { lineFile } from 'plinth/node'
 *
 * const path = `${await mkdtemp(`${tmpdir()}/lines-`)}/audit.log`
 * const file = await lineFile(path)
 * await file.write('{"type":"request"}\n')
 * await file.close()
 * await readFile(path, 'utf8') // '{"type":"request"}\n'
 * ```
 */
export async function lineFile(path: string): Promise<LineFile> {
  let file: FileHandle = await open(path, 'a', 0o600)
  /** Lines that no write has taken yet. */
  let waiting: Batch | undefined
  /** Whether the file may end in an incomplete line: a write failed, and the next line must not continue it. */
  let isTorn = false
  let last: Promise<unknown> = Promise.resolve()
  /** Runs after everything requested before: a rotation waits for one write, however fast lines come. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = last.then(work)
    last = done.catch(() => {})
    return done
  }

  const writeBatch = async (batch: Batch): Promise<void> => {
    // Lines of requests that arrived together are one call of the system.
    await nextMacrotask()
    waiting = undefined
    try {
      await append(file, isTorn ? `\n${batch.text}` : batch.text)
      isTorn = false
      batch.written()
    } catch (error) {
      isTorn = true
      batch.failed(error)
    }
  }

  return {
    write: (text) => {
      if (waiting === undefined) {
        const batch = emptyBatch()
        waiting = batch
        inTurn(() => writeBatch(batch))
      }
      waiting.text += text
      return waiting.settled
    },
    reopen: () =>
      inTurn(async () => {
        const next = await open(path, 'a', 0o600)
        const old = file
        file = next
        isTorn = false
        await old.close()
      }),
    close: () => inTurn(() => file.close()),
  }
}

/** Lines that are written together: either all of them are known to be written, or none is. */
interface Batch {
  text: string
  readonly settled: Promise<void>
  readonly written: () => void
  readonly failed: (error: unknown) => void
}

function emptyBatch(): Batch {
  let written = () => {}
  let failed = (_error: unknown) => {}
  const settled = new Promise<void>((resolve, reject) => {
    written = resolve
    failed = reject
  })
  return { text: '', settled, written, failed }
}

/** Appends a text by file descriptor: the promises of a `FileHandle` cost more than the write. */
const append = ({ fd }: FileHandle, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(text)
    const writeFrom = (start: number): void =>
      write(fd, bytes, start, bytes.length - start, null, (error, count) => {
        if (error) reject(error)
        else if (start + count < bytes.length) writeFrom(start + count)
        else resolve()
      })
    writeFrom(0)
  })
