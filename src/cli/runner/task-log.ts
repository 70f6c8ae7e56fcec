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
      if (written > 0 && written + chunk.byteLength > bytes) {
        closeSync(file)
        number += 1
        written = 0
        file = openSync(pathOf(number), 'a', 0o600)
        if (number >= files) rmSync(pathOf(number - files), { force: true })
      }
      written += chunk.byteLength
      writeSync(file, chunk)
    },
    close: () => {
      if (file !== undefined) closeSync(file)
      file = undefined
    },
  }
}
