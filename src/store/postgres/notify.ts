import { atMostEvery } from './at-most-every.ts'
import { withTimeout } from './retries.ts'
import type { Session } from './session.ts'

/** Announces commits by NOTIFY to the other processes on the database. */
export interface Notifications {
  /** Whether notifications of others are being received. */
  heard(): boolean
  /** Announces a commit to the others. */
  announce(): void
  end(): Promise<void>
}

/** How long UNLISTEN may take. */
const endMs = 2_000

/** The delay before a lost connection for listening is replaced. */
const replaceMs = 1_000

/** Listens on the schema's channel; without it the store polls. */
export async function notifications(
  session: Session,
  schema: string,
  wake: () => void,
): Promise<Notifications> {
  const { driver, realm, sql, timers, settleMs, isClosed } = session
  const channel = `${schema}_commits`
  let unlisten: (() => Promise<void>) | undefined
  const hear = (payload: string) => {
    if (payload === String(realm)) wake()
  }
  const lost = () => {
    unlisten = undefined
    // Without notifications, waits poll often again.
    wake()
    timers.after(replaceMs, async () => {
      if (isClosed()) return
      await listen()
      if (unlisten === undefined) lost()
      else if (isClosed()) await end()
    })
  }
  const listen = async () => {
    const listening = driver.listen(channel, hear, lost)
    unlisten = await withTimeout(session, settleMs, listening).catch(() => {
      // If LISTEN succeeds after all, no listener remains.
      listening.then((late) => late()).catch(() => undefined)
      return undefined
    })
  }
  const end = async () => {
    if (unlisten !== undefined) await withTimeout(session, endMs, unlisten()).catch(() => undefined)
  }
  await listen()
  if (unlisten === undefined) return noNotifications

  return {
    heard: () => unlisten !== undefined,
    // Outside of commits: inside, an announcement would lock the whole instance at every commit.
    announce: atMostEvery(session, async () => {
      // A lost notification costs one poll.
      const announced = driver.query(sql.notify, [channel, String(realm)])
      await withTimeout(session, settleMs, announced).catch(() => undefined)
    }),
    end,
  }
}

/** For a store with `notify: false`. */
export const noNotifications: Notifications = { heard: () => false, announce: () => {}, end: async () => {} }
