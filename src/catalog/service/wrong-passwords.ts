import { lru } from '../../kernel/lru.ts'
import { foldName } from '../boxes/names.ts'

/** Up to this number, wrong passwords count as typing errors. */
const freeTries = 10
const firstWaitMs = 30_000
const longestWaitMs = 900_000
const rememberedNames = 100_000

/** Counts the wrong passwords of each name, known or not, so that the answer does not reveal which names exist. */
export interface WrongPasswords {
  /** How long to wait before the next password for the name is checked; 0 for not at all. */
  readonly waitMs: (login: string, now: number) => number
  readonly wrong: (login: string, now: number) => void
  readonly right: (login: string) => void
}

/** Creates the counter, in memory: each further wrong password in a row doubles the wait of a name. */
export function wrongPasswords(): WrongPasswords {
  const seen = lru<{ readonly count: number; readonly at: number }>(rememberedNames, () => 1)
  const nameOf = (login: string) => foldName(login.slice(0, 320))
  return {
    waitMs: (login, now) => {
      const { count, at } = seen.get(nameOf(login)) ?? { count: 0, at: 0 }
      if (count < freeTries) return 0
      return Math.max(0, at + Math.min(longestWaitMs, firstWaitMs * 2 ** (count - freeTries)) - now)
    },
    wrong: (login, now) => {
      const name = nameOf(login)
      seen.set(name, { count: (seen.get(name)?.count ?? 0) + 1, at: now })
    },
    right: (login) => seen.set(nameOf(login), { count: 0, at: 0 }),
  }
}
