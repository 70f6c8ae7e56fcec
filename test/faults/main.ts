import { parseArgs } from 'node:util'
import bundleCommandLine from '../global-setup.ts'
import { type Level, runFaults } from './run.ts'

/*
 * `npm run test:faults -- --minutes 60 [--engine etcd|postgres] [--level store|services] [--seed N]`: faults on each engine,
 * in runs of twenty with seeds of their own, until the time is over; of stores, whose whole history is checked, and of
 * servers, whose clients look for everything that was acknowledged. Exits with 1 if something is wrong, if a call took
 * longer than 15 s, or if a server did not write again within 3 s after a fault, or 5 s if its connections had lost bytes.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    engine: { type: 'string' },
    level: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const until = Date.now() + Number(values.minutes) * 60_000
const engines = (['etcd', 'postgres'] as const).filter((each) => (values.engine ?? each) === each)
const levels = (['store', 'services'] satisfies Level[]).filter((each) => (values.level ?? each) === each)
const removeBundle = await bundleCommandLine()
const sum = { faults: 0, answers: 0, failures: 0, wrong: 0, slowestMs: 0, recoveryMs: 0, tornRecoveryMs: 0 }
for (let seed = Number(values.seed); Date.now() < until; seed += 1)
  for (const engine of engines)
    for (const level of levels) {
      console.log(`${engine}, ${level}, seed ${seed}`)
      const found = await runFaults(engine, level, { seed, faults: 20, longestMs: 12_000 }, (line) =>
        console.log(`  ${line}`),
      )
      console.log(`  ${JSON.stringify(found)}`)
      sum.faults += found.made
      sum.answers += found.answers
      sum.failures += found.failures
      sum.wrong += found.wrong.length
      for (const longest of ['slowestMs', 'recoveryMs', 'tornRecoveryMs'] as const)
        sum[longest] = Math.max(sum[longest], found[longest])
    }
removeBundle()
console.log(`all: ${JSON.stringify(sum)}`)
const isWrong =
  sum.wrong > 0 || sum.slowestMs > 15_000 || sum.recoveryMs > 3_000 || sum.tornRecoveryMs > 5_000
process.exit(isWrong ? 1 : 0)
