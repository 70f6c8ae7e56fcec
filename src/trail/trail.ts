import type { Env, Instant } from '../kernel/index.ts'
import { collection, type Store, type Tx, type View } from '../store/index.ts'

/** One change: what was done, when, by whom, to what. It contains no secret. */
export interface Change {
  readonly at: Instant
  /** The order among the changes that one process makes. */
  readonly order: number
  readonly id: string
  /** The type of its event: `version.released`. */
  readonly type: string
  /** The caller; null for the embedding program, which includes commands on the server itself. */
  readonly by: string | null
  /** What was changed: a box, a module, an account, a token. */
  readonly subject: string | null
  /** The other fields of the event. */
  readonly detail: Readonly<Record<string, string>>
}

/** The changes of a service, in the order of their times. They outgrow memory: no replica holds them. */
export const trail = collection<Change>({
  name: 'trail',
  key: ({ at, order, id }) => [at, order, id],
  scopes: () => [],
})

/** Where a change is in the trail. */
export type TrailPosition = Pick<Change, 'at' | 'order' | 'id'>

/** Records changes. */
export interface TrailRecorder {
  /** Records a change in the commit that makes it: neither exists without the other. */
  readonly record: (tx: Tx, change: Omit<Change, keyof TrailPosition>, env: Env) => void
}

/** Creates the recorder of one service. */
export function trailRecorder(): TrailRecorder {
  let order = 0
  return {
    record: (tx, { type, by, subject, detail }, env) => {
      order += 1
      tx.put(trail, { at: env.now, order, id: env.newId('change'), type, by, subject, detail })
    },
  }
}

/** How long changes are kept by default: 400 days, so that a year can be compared with the one before. */
export const keepAuditMs = 400 * 86_400_000

/** A commit deletes at most 64 keys. */
const changesPerCommit = 60
/** A sweep ends after so many commits; the next one continues. */
const commitsPerSweep = 500

/** Deletes the changes that are older than `keepMs`; returns their number. */
export async function sweepTrail(
  {
    commit,
    store,
    now,
  }: {
    readonly commit: (
      decide: (tx: Tx) => { readonly ok: true; readonly value: undefined; readonly events: readonly never[] },
    ) => Promise<unknown>
    readonly store: Pick<Store, 'read'>
    readonly now: Instant
  },
  keepMs: number,
): Promise<number> {
  const before = now - keepMs
  let count = 0
  for (let turn = 0; turn < commitsPerSweep; turn += 1) {
    const oldest = await store.read((view) => page(view, { limit: changesPerCommit }))
    const old = oldest.filter(({ at }) => at < before)
    if (old.length > 0)
      await commit((tx) => {
        for (const { at, order, id } of old) tx.delete(trail, at, order, id)
        return { ok: true, value: undefined, events: [] }
      })
    count += old.length
    if (old.length < changesPerCommit) break
  }
  return count
}

/** A run of changes, oldest first unless reversed. */
export const page = async (
  view: View,
  {
    after,
    limit,
    reverse,
  }: {
    readonly after?: TrailPosition | undefined
    readonly limit: number
    readonly reverse?: boolean
  },
): Promise<readonly Change[]> => {
  const entries = await view.scan({
    prefix: trail.prefix,
    limit,
    reverse,
    ...(after === undefined ? {} : { after: trail.keyOf(after.at, after.order, after.id) }),
  })
  return entries.map((entry) => trail.stored(entry).value)
}
