import { systemEnv, systemTimers } from '../../kernel/index.ts'
import type { Entry, Rev, Store } from '../../store/index.ts'
import { type Data, within } from '../serve/data.ts'
import { UserError } from '../user-error.ts'

/** A record in the realm of the server: a restore is running, or was interrupted. Its process renews it. */
const key = 'restore'

const renewedEveryMs = 1_000
/** A record that was not renewed for so long belongs to a process that is gone. */
const goneAfterMs = 5_000

/** The right to restore into some data, which one process has at a time. */
export interface Claim {
  /** Throws if another restore has taken over meanwhile, which happens if this process stood still. */
  readonly insist: () => Promise<void>
  /** Ends it. */
  readonly release: () => Promise<void>
}

/** Waits for the right to restore, which an interrupted restore may still have, and takes it. */
export async function claimData(own: Store): Promise<Claim> {
  const write = async (expected: Rev): Promise<Rev | undefined> => {
    const id = systemEnv().newId('restore')
    const put = [{ key, value: { restoring: id } }]
    const [verdict] = await own.commit([{ id, expect: [{ key, rev: expected }], put }])
    return verdict?.ok === true ? verdict.rev : undefined
  }
  let held: Rev | undefined
  while (held === undefined) {
    const found = await claimIn(own)
    if (found !== undefined && (await isRenewed(own, found)))
      throw new UserError('another restore into this data is running: wait for it')
    held = await write(found?.modified ?? 0)
  }
  let turn = Promise.resolve()
  /** One after another: each expects the revision of the one before. */
  const renew = () => {
    turn = turn.then(async () => {
      if (held !== undefined) held = await write(held)
    })
    return turn
  }
  let stop = () => {}
  const keepRenewing = () => {
    stop = systemTimers.after(renewedEveryMs, () => {
      // A failure is reported by the restore itself, which writes into the same database.
      renew().then(keepRenewing, keepRenewing)
    })
  }
  keepRenewing()
  return {
    insist: async () => {
      await renew()
      if (held === undefined)
        throw new UserError('another restore into this data has taken over from this one, which stood still')
    },
    release: async () => {
      stop()
      await turn.catch(() => undefined)
      if (held === undefined) return
      await own.commit([{ id: systemEnv().newId('restore'), expect: [{ key, rev: held }], del: [key] }])
      held = undefined
    },
  }
}

/** Refuses data into which a restore is running, or was interrupted: it may be half of it. */
export async function insistRestored({ own }: Data): Promise<void> {
  if (await within(own, isClaimed))
    throw new UserError(
      'a restore into this data is running, or was interrupted: wait for it, or run plinth restore again',
    )
}

export const isClaimed = async (own: Store): Promise<boolean> => (await claimIn(own)) !== undefined

const claimIn = (own: Store): Promise<Entry | undefined> =>
  own.read(async (view) => (await view.get([key]))[0])

/** Whether the process of a claim lives: it renews the claim soon. */
async function isRenewed(own: Store, { modified: after }: Entry): Promise<boolean> {
  const { put } = await own.changes({ after, prefixes: [key], waitMs: goneAfterMs })
  return put.length > 0
}
