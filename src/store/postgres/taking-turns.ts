import { systemRandom } from '../../kernel/system-env.ts'

/** Others announce often if their last two announcements came within this time, in milliseconds. */
const oftenMs = 50
/** How long after another's announcement this server's can wait, and as much again at random. */
const restMs = 25

/**
 * Servers that commit at the same time take turns in announcing. Whoever hears an announcement reads everything up to then,
 * and each one costs the database as many deliveries as there are servers.
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
