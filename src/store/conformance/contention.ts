import type { Rev } from '../port/port.ts'
import { type ChildProgram, startChild } from './child-process.ts'
import { holds, newRealm, type ProcessCase } from './harness.ts'

/** What a process tells of each of its commits: its revision, and how far its follower had come. */
interface Step {
  readonly rev: Rev
  readonly seen: Rev
}

/** Commits one after the other forever, and follows the realm meanwhile. */
const commitAndFollow: ChildProgram<{ readonly name: string }> = async (store, { name }, tell) => {
  let seen = await store.head()
  const follow = async () => {
    for (;;) {
      const page = await store.changes({ after: seen, prefixes: [''], waitMs: 30_000, background: true })
      seen = page.rev
    }
  }
  void follow()
  for (let at = 0; ; at += 1) {
    const [verdict] = await store.commit([
      { id: `${name}-${at}`, put: [{ key: `by\u0001${name}`, value: at }] },
    ])
    tell({ rev: verdict?.rev, seen })
  }
}

/** Commits of all processes for each round that a race runs. */
const commitsPerRound = 50

export const contentionCases: readonly ProcessCase[] = [
  [
    'of three processes that write and follow one realm none is starved: each commits a tenth of the busiest, and none is silent while others commit for a quarter of the time',
    async (_open, harness) => {
      const realm = newRealm('contention')
      const goal = (harness.rounds ?? 40) * commitsPerRound
      const all = ['one', 'two', 'three'].map((name) => ({
        name,
        steps: [] as Step[],
        child: startChild(harness, realm, commitAndFollow, { name }),
      }))
      // Revisions are the clock: they do not stand still or run on with the machine.
      const begin = () => Math.max(...all.map(({ steps }) => steps[0]?.rev ?? Number.NaN))
      const reached = new Promise<void>((resolve) => {
        for (const { child, steps } of all)
          child.onLine((line) => {
            // Told by commitAndFollow.
            const step = line as Step
            steps.push(step)
            if (step.rev >= begin() + goal) resolve()
          })
      })
      await Promise.race([reached, ...all.map(({ child }) => child.finished)])
      await Promise.all(all.map(({ child }) => child.kill()))
      const [first, last] = [begin(), begin() + goal]
      const counts = all.map(({ steps }) => steps.filter(({ rev }) => rev > first && rev <= last).length)
      const busiest = Math.max(...counts)
      for (const [at, { name, steps }] of all.entries()) {
        const count = counts[at] ?? 0
        holds(count * 10 >= busiest, `${name} made ${count} commits, and the busiest made ${busiest}`)
        const revs = [first, ...steps.map(({ rev }) => rev).filter((rev) => rev > first && rev < last), last]
        const silence = Math.max(...revs.map((rev, place) => rev - (revs[place - 1] ?? rev)))
        holds(silence * 4 <= goal, `${name} made no commit while others made ${silence} of ${goal}`)
        holds((steps.at(-1)?.seen ?? 0) > first, `${name} follows, and has not seen revision ${first + 1}`)
      }
    },
  ],
]
