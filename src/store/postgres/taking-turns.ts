import { systemRandom } from '../../kernel/system-env.ts'

/** Other servers announce often if their last two announcements came within this time, in milliseconds. */
const oftenMs = 50
/** How long an announcement waits after another server's, plus as much again at random, in milliseconds. */
const restMs = 25

/**
 * Lets servers that commit at the same time take turns to announce. The database delivers each announcement to every
 * server, and a server that receives one reads all commits so far, whoever made them.
 */
export interface Turns {
  /** Another server has announced a commit. */
  heard(): void
  /** How long this server need not announce, in milliseconds, since another does. */
  waitMs(): number
}

export function takingTurns(now = () => performance.now(), random = systemRandom): Turns {
  let [before, last] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  return {
    heard: () => {
      before = last
      last = now()
    },
    waitMs: () => {
      const rested = now() - last
      return last - before < oftenMs && rested < restMs ? restMs - rested + random() * restMs : 0
    },
  }
}
