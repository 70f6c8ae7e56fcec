import type { Reporter } from '../kernel/event-emitter.ts'
import type { Env } from '../kernel/index.ts'
import type { Blobs, Replica } from '../store/index.ts'
import { type Commit, looseArchives } from './records.ts'

/** How long the upload of an archive may take. */
const patienceMs = 3_600_000

/**
 * Keeps archives and the records that reference them consistent when an upload is interrupted or the process crashes.
 */
export interface ArchiveKeeper {
  /** Registers an archive before its upload, so that it is found after a crash. */
  readonly announce: (blob: string) => Promise<void>
  /** Deletes archives that no version references, and their registrations. Failures are swept later. */
  readonly discard: (blob: string) => Promise<void>
  /**
   * Deletes archives that were registered long ago and that no version references; returns their number.
   *
   * @param all - also recently registered ones, which running publishes may still need
   */
  readonly sweep: (all: boolean) => Promise<number>
}

export function archiveKeeper({
  blobs,
  view,
  commit,
  env,
  report,
}: {
  readonly blobs: Blobs | undefined
  readonly view: () => Promise<Replica>
  readonly commit: Commit
  readonly env: () => Env
  readonly report: Reporter
}): ArchiveKeeper {
  const remove = async (blob: string): Promise<boolean> => {
    const dropped = await commit((tx) => {
      const loose = tx.get(looseArchives, blob)?.value
      if (loose) tx.put(looseArchives, { ...loose, isDropped: true })
      return { ok: true, value: loose !== undefined, events: [] }
    })
    // A version references them by now.
    if (!dropped.ok || !dropped.value) return false
    await blobs?.delete(blob)
    await commit((tx) => {
      tx.delete(looseArchives, blob)
      return { ok: true, value: undefined, events: [] }
    })
    return true
  }
  return {
    announce: async (blob) => {
      await commit((tx, { now }) => {
        tx.put(looseArchives, { blob, since: now })
        return { ok: true, value: undefined, events: [] }
      })
    },
    discard: async (blob) => {
      await remove(blob).catch(report)
    },
    sweep: async (all) => {
      const before = all ? Number.POSITIVE_INFINITY : env().now - patienceMs
      const loose = looseArchives.list(await (await view()).fresh())
      const due = loose.filter(({ value }) => value.since <= before)
      let count = 0
      for (const { value } of due) if (await remove(value.blob)) count += 1
      return count
    },
  }
}
