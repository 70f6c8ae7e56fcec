import { stayAwake, systemEnv } from '../../kernel/system-env.ts'
import { isStoreError } from '../port/errors.ts'
import type { Entry, Rev, Store } from '../port/port.ts'
import { type ChildProgram, startChild } from './child-process.ts'
import { holds, newId, type ProcessHarness, put, same, submitOne } from './harness.ts'

/** The id of a commit by a writer that will be killed. */
interface WriterInput {
  readonly name: string
  readonly writers: number
}

/**
 * Commits pairs of keys forever, many concurrently; reports each before it is submitted and once it is acknowledged.
 */
const writePairs: ChildProgram<WriterInput> = async (store, { name, writers }, tell) => {
  const writer = async (number: number) => {
    for (let at = 0; ; at += 1) {
      const id = `${name}-${number}-${at}`
      tell({ id })
      const value = { id, padding: 'x'.repeat(100) }
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
      tell({ id, rev: verdict.rev })
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
}

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

/** What is known of commits when their process is killed: a revision once they were acknowledged. */
type Told = Map<string, Rev | undefined>

/** Lets processes write to a realm until together they have acknowledged this many commits, and then kills them all. */
async function killed(
  harness: ProcessHarness,
  realm: string,
  names: readonly string[],
  goal: number,
): Promise<Told> {
  const told: Told = new Map()
  const children = names.map((name) => startChild(harness, realm, writePairs, { name, writers: 6 }))
  let acknowledged = 0
  const reached = new Promise<void>((resolve) => {
    for (const child of children)
      child.onLine((line) => {
        // Told by writePairs.
        const { id, rev } = line as { readonly id: string; readonly rev?: Rev }
        told.set(id, rev)
        if (rev !== undefined) acknowledged += 1
        if (acknowledged >= goal) resolve()
      })
  })
  await Promise.race([reached, ...children.map(({ finished }) => finished)])
  await Promise.all(children.map((child) => child.kill()))
  return told
}

/** Fails unless a realm contains all acknowledged commits completely, and settles the others. */
async function checkKilled(store: Store, told: Told): Promise<void> {
  const revisionsBelow = async (side: string) => {
    const found = await store.read((view) => view.scan({ prefix: `${side}\u0001` }))
    return new Map(found.map(({ key, modified }) => [key.slice(side.length + 1), modified]))
  }
  const [left, right] = [await revisionsBelow('left'), await revisionsBelow('right')]
  for (const [id, rev] of told)
    if (rev !== undefined) same(left.get(id) ?? null, rev, `${id}, which was acknowledged at ${rev}`)
  for (const [id, rev] of left) same(right.get(id) ?? null, rev, `the other key of the commit of ${id}`)
  same(right.size, left.size, 'how many there are of the other key')
  same(new Set(left.values()).size, left.size, 'how many revisions the commits have')
  for (const [id, rev] of told) {
    const applied = left.get(id)
    const verdict = await submitOne(store, {
      id,
      expect: [{ key: 'never', rev: 1 }],
      put: [{ key: `late\u0001${id}`, value: 1 }],
      again: true,
    })
    const wanted = applied === undefined ? 'refused' : `applied at ${rev ?? applied}`
    same(verdict.ok ? `applied at ${verdict.rev}` : 'refused', wanted, `${id}, submitted again`)
  }
  same(await store.read((view) => view.scan({ prefix: 'late' })), [], 'what only resubmissions would write')
}

type CrashCase = readonly [
  sentence: string,
  run: (open: (realm: string) => Promise<Store>, harness: ProcessHarness) => Promise<void>,
]

/** The realm of a case, which no other case or run has. */
const newRealm = (): string => `crash-${systemEnv().newId('realm').slice(0, 18)}`

/** The number of kills of each kind. */
const killsOf = ({ rounds = 40 }: ProcessHarness): number => Math.max(1, Math.ceil(rounds / 8))

const killing =
  (processes: number): CrashCase[1] =>
  async (open, harness) => {
    const realm = newRealm()
    for (let round = 0; round < killsOf(harness); round += 1) {
      const names = Array.from({ length: processes }, (_, at) => `${realm}-${round}-${at}`)
      // The delay varies: a kill at the beginning finds other states than one in full operation.
      const told = await killed(harness, realm, names, 1 + ((round * 67) % 200))
      const store = await open(realm)
      try {
        await checkKilled(store, told)
      } finally {
        await store.close()
      }
    }
  }

const crashCases: readonly CrashCase[] = [
  [
    'a process killed in the middle of load loses no acknowledged commit, tears none, and each is settled by its id',
    killing(1),
  ],
  ['two processes on one realm, killed at once, lose no acknowledged commit and tear none', killing(2)],
  [
    'a handle goes on writing and waiting when another process that writes is killed',
    async (open, harness) => {
      const realm = newRealm()
      const store = await open(realm)
      try {
        for (let round = 0; round < killsOf(harness); round += 1) {
          const told = await killed(harness, realm, [`${realm}-${round}`], 20)
          const { head, verdict } = await afterwards(store)
          holds(verdict.ok && verdict.rev > head, 'a commit after the kill was refused')
          const news = await store.changes({ after: head, prefixes: ['after'], waitMs: 10_000 })
          same(news.put.length, 1, 'what the wait told')
          await checkKilled(store, told)
        }
      } finally {
        await store.close()
      }
    },
  ],
  [
    'of an import whose process is killed nothing is seen, and another import fills the realm',
    async (open, harness) => {
      const realm = newRealm()
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
 * import { lmdbStore } from 'plinth/store/lmdb'
 *
 * const sentences: string[] = []
 * // open-store.js: export const open = (realm) => lmdbStore('/var/tmp/crash', { realm })
 * const harness = { test: (name: string) => sentences.push(name), module: './open-store.js' }
 * crashConformance((realm) => lmdbStore('/var/tmp/crash', { realm }), harness)
 * sentences.length // 4
 * ```
 */
export function crashConformance(open: (realm: string) => Promise<Store>, harness: ProcessHarness): void {
  if (harness.module === undefined)
    throw new TypeError('crashConformance needs `module`: the file by which a child process opens the store')
  for (const [sentence, run] of crashCases)
    harness.test(sentence, async () => {
      const sleep = stayAwake()
      try {
        await run(open, harness)
      } finally {
        sleep()
      }
    })
}
