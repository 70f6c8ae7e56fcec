import { expect, it } from 'vitest'
import { etcd, needing } from '../programs.ts'
import { runFaults } from './run.ts'

/*
 * A short run of each engine; `npm run test:faults -- --minutes 60` for a long one, which also bounds how long calls take.
 */
const short = { faults: 8, longestMs: 1_500 }

for (const [engine, ...described] of [
  ['etcd', ...needing('etcd', etcd)],
  ['postgres', ...needing('PostgreSQL')],
] as const)
  it(
    `${described[0]}: the history of three servers is strictly serializable despite kills, pauses and cut links`,
    described[1],
    async () => {
      const printed: string[] = []
      const found = await runFaults(engine, { seed: 1, ...short }, (line) => printed.push(line))
      expect({ ...found, printed }).toMatchObject({ made: short.faults, wrong: [] })
      expect(found.answers).toBeGreaterThan(100)
    },
  )
