import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The output of a task: files `NAME.0`, `NAME.1` and so on, the oldest of which are removed. */
export interface TaskLog {
  readonly write: (chunk: Uint8Array) => void
  readonly close: () => void
}

/** Opens a log with a maximum number and size of files. */
export function taskLog(
  folder: string,
  name: string,
  { files, bytes }: { readonly files: number; readonly bytes: number },
): TaskLog {
  const pathOf = (number: number) => join(folder, `${name}.${number}`)
  let number = 0
  let written = 0
  let file: number | undefined = openSync(pathOf(number), 'a', 0o600)
  return {
    write: (chunk) => {
      if (file === undefined) return
      // Output that the disk has no room for is lost: the task goes on, and so do the others of the runner.
      try {
        if (written > 0 && written + chunk.byteLength > bytes) {
          const next = openSync(pathOf(number + 1), 'a', 0o600)
          closeSync(file)
          file = next
          number += 1
          written = 0
          if (number >= files) rmSync(pathOf(number - files), { force: true })
        }
        written += writeSync(file, chunk)
      } catch {}
    },
    close: () => {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
