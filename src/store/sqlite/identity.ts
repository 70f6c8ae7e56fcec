import { realpathSync, statSync } from 'node:fs'
import { StoreError } from '../port/errors.ts'

/** What a path names: another file at the same path has another identity. `undefined` if there is none. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** Whether an open file and its log are still those at their paths. */
export interface Identity {
  /** Throws if they are not: what is committed then, the next start will not find. Looks at most once a second. */
  check(): void
  isLost(): boolean
}

const looksEveryMs = 1_000

/** Remembers the identities of a file and of its log, both of which are open. */
export function rememberIdentity(path: string): Identity {
  // The engine puts the log beside the file that a symbolic link names.
  const log = `${realpathSync(path)}-wal`
  const [file, logged] = [identityOf(path), identityOf(log)]
  let lost: string | undefined
  let looked = performance.now()
  const look = (): string | undefined => {
    try {
      if (identityOf(path) !== file) return path
      return identityOf(log) === logged ? undefined : log
    } catch {
      // An error that says nothing of the file, such as a folder that may not be entered any more.
      return undefined
    }
  }
  return {
    check: () => {
      const now = performance.now()
      if (lost === undefined && now - looked >= looksEveryMs) {
        looked = now
        lost = look()
      }
      if (lost !== undefined)
        throw new StoreError(
          'replaced',
          `${lost} was moved, removed or replaced while the store was open: nothing more is stored until a restart`,
        )
    },
    isLost: () => lost !== undefined,
  }
}
