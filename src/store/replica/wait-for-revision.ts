import type { Rev, Snapshot } from '../port/port.ts'

/** The first snapshot at or beyond a revision. */
export function waitForRevision(
  rev: Rev,
  look: () => Snapshot,
  subscribeTo: (fn: () => void) => () => void,
  signal: AbortSignal | undefined,
): Promise<Snapshot> {
  return new Promise((resolve, reject) => {
    const now = look()
    if (now.rev >= rev) return resolve(now)
    const end = () => {
      off()
      signal?.removeEventListener('abort', aborted)
    }
    const aborted = () => {
      end()
      reject(signal?.reason)
    }
    const off = subscribeTo(() => {
      try {
        const later = look()
        if (later.rev < rev) return
        resolve(later)
      } catch (error) {
        reject(error)
      }
      end()
    })
    if (signal?.aborted === true) return aborted()
    signal?.addEventListener('abort', aborted)
  })
}
