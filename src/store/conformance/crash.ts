import { isStoreError } from '../port/errors.ts'
import type { Entry, Rev, Store } from '../port/port.ts'
import { type ChildProgram, startChild } from './child-process.ts'
import { contentionCases } from './contention.ts'
import {
  holds,
  newId,
  newRealm,
  type ProcessCase,
  type ProcessHarness,
  put,
  same,
  submitOne,
} from './harness.ts'
import { timeFaults } from './history-faults.ts'
import { watched } from './watch.ts'

interface WriterInput {
  readonly name: string
  readonly writers: number
  /** Opens and closes the realm once more after this many commits of each writer. */
  readonly reopens?: number | undefined
}

/** What a writer tells: that it submits a commit, and then when it was acknowledged, by the clock of the machine. */
interface Written {
  readonly id: string
  readonly rev?: Rev
  readonly start: number
  readonly end: number
}

/**
 * Commits pairs of keys forever, many concurrently; reports each before it is submitted and once it is acknowledged.
 */
const writePairs: ChildProgram<WriterInput> = async (store, { name, writers, reopens }, tell, open) => {
  const instant = () => Number(process.hrtime.bigint() / 1000n)
  const writer = async (number: number) => {
    for (let at = 0; ; at += 1) {
      const id = `${name}-${number}-${at}`
      tell({ id })
      const value = { id, padding: 'x'.repeat(100) }
      const start = instant()
      const [verdict] = await store.commit([
        {
          id,
          put: [
            { key: `left\u0001${id}`, value },
            { key: `right\u0001${id}`, value },
          ],
          touch: ['~\u0001pairs'],
        },
      ])
      if (verdict?.ok !== true) throw new Error(`${id} was refused`)
      tell({ id, rev: verdict.rev, start, end: instant() })
      if (reopens !== undefined && at % reopens === 0) await (await open()).close()
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
}

/** Opens a realm and closes it again. */
const lookAtHead: ChildProgram<null> = async (store, _, tell) => tell(await store.head())

/** Imports forever, and reports its progress. */
const importOn: ChildProgram<null> = async (store, _, tell) => {
  const entries = async function* () {
    for (let at = 0; ; at += 1) {
      if (at % 500 === 0) tell(at)
      yield { key: `k\u0001${at}`, value: { at }, created: 1, modified: 1 }
    }
  }
  await store.import(entries(), 1)
}

/** What is known of the commits of a process that is killed: more than the id once they were acknowledged. */
type Outcomes = Map<string, Written | undefined>

/** Processes that write to a realm until they are killed. */
function writing(harness: ProcessHarness, realm: string, inputs: readonly WriterInput[]) {
  const outcomes: Outcomes = new Map()
  const children = inputs.map((input) => startChild(harness, realm, writePairs, input))
  let acknowledged = 0
  let [goal, reached] = [Number.POSITIVE_INFINITY, () => {}]
  for (const child of children)
    child.onLine((line) => {
      // Told by writePairs.
      const written = line as Written
      const isAcknowledged = written.rev !== undefined
      outcomes.set(written.id, isAcknowledged ? written : undefined)
      if (isAcknowledged) acknowledged += 1
      if (acknowledged >= goal) reached()
    })
  return {
    /** Resolves once they have acknowledged this many more commits. */
    more: (commits: number) => {
      const more = new Promise<void>((resolve) => {
        goal = acknowledged + commits
        reached = resolve
      })
      return Promise.race([more, ...children.map(({ finished }) => finished)])
    },
    /** Kills them all. */
    killed: async (): Promise<Outcomes> => {
      await Promise.all(children.map((child) => child.kill()))
      return outcomes
    },
  }
}

/** Fails unless a realm contains all acknowledged commits completely, and settles the others. */
async function checkKilled(store: Store, outcomes: Outcomes): Promise<void> {
  const revisionsBelow = async (side: string) => {
    const found = await store.read((view) => view.scan({ prefix: `${side}\u0001` }))
    return new Map(found.map(({ key, modified }) => [key.slice(side.length + 1), modified]))
  }
  const [left, right] = [await revisionsBelow('left'), await revisionsBelow('right')]
  const acknowledged = [...outcomes.values()].flatMap((written) => written ?? [])
  for (const { id, rev } of acknowledged)
    same(left.get(id) ?? null, rev, `${id}, which was acknowledged at ${rev}`)
  const history = acknowledged.map(({ id, rev = 0, start, end }) => {
    return { kind: 'commit', start, end, commit: { id }, verdict: { ok: true, rev } } as const
  })
  same(timeFaults(history), [], 'revisions out of the order of their acknowledgements')
  for (const [id, rev] of left) same(right.get(id) ?? null, rev, `the other key of the commit of ${id}`)
  same(right.size, left.size, 'how many there are of the other key')
  same(new Set(left.values()).size, left.size, 'how many revisions the commits have')
  for (const [id, written] of outcomes) {
    const applied = left.get(id)
    const verdict = await submitOne(store, {
      id,
      expect: [{ key: 'never', rev: 1 }],
      put: [{ key: `late\u0001${id}`, value: 1 }],
      again: true,
    })
    const wanted = applied === undefined ? 'refused' : `applied at ${written?.rev ?? applied}`
    same(verdict.ok ? `applied at ${verdict.rev}` : 'refused', wanted, `${id}, submitted again`)
  }
  same(await store.read((view) => view.scan({ prefix: 'late' })), [], 'what only resubmissions would write')
}

/** The number of kills of each kind. */
const killsOf = ({ rounds = 40 }: ProcessHarness): number => Math.max(1, Math.ceil(rounds / 8))

const killing =
  (processes: number): ProcessCase[1] =>
  async (open, harness) => {
    const realm = newRealm('crash')
    const outcomes: Outcomes = new Map()
    for (let round = 0; round < killsOf(harness); round += 1) {
      const inputs = Array.from({ length: processes }, (_, at) => ({
        name: `${realm}-${round}-${at}`,
        writers: 6,
      }))
      const running = writing(harness, realm, inputs)
      // The delay varies: a kill at the beginning finds other states than one in full operation.
      await running.more(1 + ((round * 67) % 200))
      for (const [id, written] of await running.killed()) outcomes.set(id, written)
      await checkAfter(open, realm, outcomes)
    }
  }

const checkAfter = async (open: (realm: string) => Promise<Store>, realm: string, outcomes: Outcomes) => {
  const store = await open(realm)
  try {
    await checkKilled(store, outcomes)
  } finally {
    await store.close()
  }
}

const crashCases: readonly ProcessCase[] = [
  [
    'a process killed in the middle of load loses no acknowledged commit, tears none, and each is settled by its id',
    killing(1),
  ],
  ['two processes on one realm, killed at once, lose no acknowledged commit and tear none', killing(2)],
  [
    'handles that are opened and closed beside a writer, in its process and in others, cost no acknowledged commit',
    async (open, harness) => {
      for (let round = 0; round < killsOf(harness); round += 1) {
        const realm = newRealm('crash')
        const running = writing(harness, realm, [{ name: realm, writers: 3, reopens: 10 }])
        for (let time = 0; time < 3; time += 1) {
          await running.more(40)
          if (time === 0) await startChild(harness, realm, lookAtHead, null).finished
          else await (await open(realm)).close()
        }
        await running.more(40)
        await checkAfter(open, realm, await running.killed())
      }
    },
  ],
  [
    'a handle goes on writing and waiting when another process that writes is killed',
    async (open, harness) => {
      const realm = newRealm('crash')
      const store = await open(realm)
      try {
        for (let round = 0; round < killsOf(harness); round += 1) {
          const running = writing(harness, realm, [{ name: `${realm}-${round}`, writers: 6 }])
          await running.more(20)
          const outcomes = await running.killed()
          const { head, verdict } = await afterwards(store)
          holds(verdict.ok && verdict.rev > head, 'a commit after the kill was refused')
          const news = await store.changes({ after: head, prefixes: ['after'], waitMs: 10_000 })
          same(news.put.length, 1, 'what the wait told')
          await checkKilled(store, outcomes)
        }
      } finally {
        await store.close()
      }
    },
  ],
  [
    'of an import whose process is killed nothing is seen, and another import fills the realm',
    async (open, harness) => {
      const realm = newRealm('crash')
      const child = startChild(harness, realm, importOn, null)
      const far = new Promise<void>((resolve) =>
        child.onLine((at) => (Number(at) >= 5_000 ? resolve() : undefined)),
      )
      await Promise.race([far, child.finished])
      await child.kill()
      const store = await open(realm)
      try {
        const seen = await store
          .read((view) => view.scan({ prefix: '' }))
          .catch((error: unknown) => {
            if (isStoreError(error, 'locked')) return []
            throw error
          })
        same(seen, [], 'entries')
        const one: Entry = { key: 'a', value: 1, created: 1, modified: 2 }
        const just = async function* () {
          yield one
        }
        await store.import(just(), 2)
        same(await store.read((view) => view.scan({ prefix: '' })), [one], 'entries of the other import')
        same(await submitOne(store, put('b')), { ok: true, rev: 3 }, 'the next commit')
      } finally {
        await store.close()
      }
    },
  ],
]

async function afterwards(store: Store) {
  const head = await store.head()
  return { head, verdict: await submitOne(store, put(`after\u0001${newId()}`)) }
}

/**
 * The suite for durable stores: child processes write a realm, or import into it, and are killed; acknowledged commits
 * must be complete, and commits in progress must be settled by their id.
 *
 * @remarks
 * A kill does not lose data that the process handed to the operating system, so this does not prove that a commit is
 * synced to disk before it is acknowledged: only a power cut, or a trace of the system calls, does.
 *
 * @param open - opens the realm of a name, any number of times; the harness's `module` exports a function that does the
 * same for child processes
 * @param harness - the test runner's `test`, and `module` and `export` for the children
 *
 * @example
 * ```ts
 * import { crashConformance } from 'plinth/store'
 * import { sqliteStore } from 'plinth/store/sqlite'
 *
 * const sentences: string[] = []
 * // open-store.js: export const open = (realm) => sqliteStore('/var/tmp/crash.sqlite', { realm })
 * const harness = { test: (name: string) => sentences.push(name), module: './open-store.js' }
 * crashConformance((realm) => sqliteStore('/var/tmp/crash.sqlite', { realm }), harness)
 * sentences.length // 6
 * ```
 */
export function crashConformance(open: (realm: string) => Promise<Store>, harness: ProcessHarness): void {
  if (harness.module === undefined)
    throw new TypeError('crashConformance needs `module`: the file by which a child process opens the store')
  for (const [sentence, run] of [...crashCases, ...contentionCases])
    harness.test(
      sentence,
      watched((watch) => run((realm) => watch.opened('open', () => open(realm)), harness)),
    )
}
