import { type Changes, limits, type Rev, type Since } from '../port/port.ts'
import { arrayOf } from './arrays.ts'

/** Up to how many commits, and beside how large a one, answers bring changes: they are read while the realm is locked. */
const most = { commits: 100, bytes: 256 * 1024 }

/** What an answer to a commit is asked to bring along: the changes after a revision. */
export interface Wanted {
  readonly after: Rev
  readonly limit: number
  /** In PostgreSQL's array syntax. */
  readonly prefixes: string
}

/**
 * What this process knows of the realm's commits without asking for it: from announcements, and from the answers to its own
 * commits, which bring along what its follower, such as a replica, would ask for next.
 */
export interface News {
  /** Someone follows the realm, and has come so far. */
  followed(from: Since): void
  /** What an answer should bring along, if someone follows the realm closely. */
  wanted(bytes: number): Wanted | undefined
  /** A commit was answered, with these changes. */
  answered(wanted: Wanted, changes: Changes): void
  /** A commit exists, by its revision; without one, something may have happened. */
  heardOf(rev: Rev | undefined): void
  /** Whether there are commits that those who wait have not been woken for. */
  isNew(): boolean
  /** All who wait are being woken. */
  passedOn(): void
  /** The newest changes, if an answer brought them along. */
  taken(since: Since): Changes | undefined
  /** The realm was set back: its revisions may be used again. */
  forget(): void
}

export function newsOf(): News {
  let newest: Rev = 0
  let woken: Rev = 0
  let follower: { readonly prefixes: string; readonly rev: Rev } | undefined
  let brought: { readonly wanted: Wanted; readonly changes: Changes } | undefined
  return {
    followed: ({ prefixes, after }) => {
      follower = { prefixes: arrayOf(prefixes), rev: after }
    },
    wanted: (bytes) =>
      follower === undefined || newest - follower.rev > most.commits || bytes > most.bytes
        ? undefined
        : { after: follower.rev, limit: most.commits * limits.keysPerCommit, prefixes: follower.prefixes },
    answered: (wanted, changes) => {
      if (changes.more) return
      brought = { wanted, changes }
      woken = Math.max(woken, changes.rev)
    },
    heardOf: (rev = woken + 1) => {
      newest = Math.max(newest, rev)
    },
    isNew: () => newest > woken,
    passedOn: () => {
      woken = newest
    },
    taken: ({ after, prefixes, background }) => {
      if (brought === undefined || background !== true || newest > brought.changes.rev) return undefined
      const { wanted, changes } = brought
      if (after < wanted.after || after >= changes.rev || arrayOf(prefixes) !== wanted.prefixes)
        return undefined
      brought = undefined
      follower = { prefixes: wanted.prefixes, rev: changes.rev }
      if (after === wanted.after) return changes
      const put = changes.put.filter(({ modified }) => modified > after)
      return { rev: changes.rev, put, gone: changes.gone, more: false }
    },
    forget: () => {
      newest = 0
      woken = 0
      follower = undefined
      brought = undefined
    },
  }
}
