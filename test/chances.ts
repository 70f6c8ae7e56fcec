import { seededRandom } from '../src/testing/index.ts'

/** Random choices by a seed, the same each time. */
export function chances(seed: number) {
  const random = seededRandom(seed)
  const upTo = (most: number): number => Math.floor(random() * most)
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T
  return { random, upTo, pick }
}
