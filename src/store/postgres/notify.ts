import type { Rev } from '../port/port.ts'
import { atMostEvery } from './at-most-every.ts'
import { withTimeout } from './retries.ts'
import type { Session } from './session.ts'
import { takingTurns } from './taking-turns.ts'

/** Announces commits by NOTIFY to the other processes on the database. */
export interface Notifications {
  /** Whether notifications of others are being received. */
  heard(): boolean
  /** Announces commits up to a revision to the others. */
  announce(rev: Rev): void
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
  news: { readonly heard: (rev: Rev | undefined) => void; readonly wake: () => void },
): Promise<Notifications> {
  const { driver, realm, sql, timers, settleMs, isClosed } = session
  const channel = `${schema}_commits`
  let unlisten: (() => Promise<void>) | undefined
  const turns = takingTurns()
  let [announced, sent]: [Rev, Rev] = [0, 0]
  /** Another server has announced a later commit: followers that read up to it also read this server's commits. */
  let isCovered = false
  const hear = (payload: string) => {
    // Servers of earlier versions announce no revision.
    const [id, rev = ''] = payload.split(' ')
    if (id !== String(realm)) return
    const known = /^\d+$/.test(rev) ? Number(rev) : undefined
    news.heard(known)
    if (known === sent) return
    turns.heard()
    if (known !== undefined && known > announced) isCovered = true
  }
  const lost = () => {
    unlisten = undefined
    // Without notifications, waits poll often again.
    news.wake()
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

  // Outside of commits: inside, an announcement would lock the whole instance at every commit.
  const announce = atMostEvery(session, async () => {
    for (let ms = turns.waitMs(); ms > 0; ms = turns.waitMs())
      await new Promise<void>((resolve) => void timers.after(ms, resolve))
    if (isCovered) return
    sent = announced
    // A lost notification costs one poll.
    const asked = driver.query(sql.notify, [channel, `${realm} ${sent}`])
    await withTimeout(session, settleMs, asked).catch(() => undefined)
  })
  return {
    heard: () => unlisten !== undefined,
    announce: (rev) => {
      announced = rev
      isCovered = false
      announce()
    },
    end,
  }
}

/** For a store with `notify: false`. */
export const noNotifications: Notifications = { heard: () => false, announce: () => {}, end: async () => {} }
