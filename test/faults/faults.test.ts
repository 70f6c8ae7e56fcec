import { expect, it } from 'vitest'
import { etcd, needing } from '../programs.ts'
import { runFaults } from './run.ts'

/*
 * A short run of each engine; `npm run test:faults -- --minutes 60` for a long one, which also bounds how long calls take.
 */
const short = { seed: 1, faults: 8, longestMs: 1_500 }

for (const [engine, ...described] of [
  ['etcd', ...needing('etcd', etcd)],
  ['postgres', ...needing('PostgreSQL')],
] as const) {
  it(
    `${described[0]}: the history of three servers is strictly serializable despite kills, pauses and cut links`,
    described[1],
    async () => {
      const printed: string[] = []
      const found = await runFaults(engine, 'store', short, (line) => printed.push(line))
      expect({ ...found, printed }).toMatchObject({ made: short.faults, wrong: [] })
      expect(found.answers).toBeGreaterThan(100)
    },
  )

  it(
    `${described[0]}: three servers lose no acknowledged secret, job or revocation, and read each other's writes, despite them`,
    described[1],
    async () => {
      const printed: string[] = []
      const found = await runFaults(engine, 'services', short, (line) => printed.push(line))
      expect({ ...found, printed }).toMatchObject({ made: short.faults, wrong: [] })
      expect(found.answers).toBeGreaterThan(100)
    },
  )
}
