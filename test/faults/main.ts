import { parseArgs } from 'node:util'
import { runFaults } from './run.ts'

/*
 * `npm run test:faults -- --minutes 60 [--engine etcd|postgres] [--seed N]`: faults on each engine, in runs of twenty with
 * seeds of their own, until the time is over. Exits with 1 if a history is wrong, if a call took longer than 15 s, or if a
 * server did not write again within 3 s after a fault, or 5 s if its connections had lost bytes.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const until = Date.now() + Number(values.minutes) * 60_000
const engines = (['etcd', 'postgres'] as const).filter((each) => (values.engine ?? each) === each)
let isWrong = false
for (let seed = Number(values.seed); Date.now() < until; seed += 1)
  for (const engine of engines) {
    console.log(`${engine}, seed ${seed}`)
    const found = await runFaults(engine, { seed, faults: 20, longestMs: 12_000 }, (line) =>
      console.log(`  ${line}`),
    )
    console.log(`  ${JSON.stringify(found)}`)
    isWrong ||= found.wrong.length > 0 || found.slowestMs > 15_000
    isWrong ||= found.recoveryMs > 3_000 || found.tornRecoveryMs > 5_000
  }
process.exit(isWrong ? 1 : 0)
