import type { Commit, Json, Store } from '../port/port.ts'
import { type ChildProgram, startChild } from './child-process.ts'
import { holds, newRealm, type ProcessHarness, same } from './harness.ts'
import { historyFaults, type Operation } from './history-faults.ts'
import { watched, watchedKit } from './watch.ts'

interface ClientsInput {
  readonly name: string
  readonly seed: number
  /** The number of operations per client, and of clients. */
  readonly count: number
  readonly clients: number
}

/**
 * Clients that concurrently read, and write what they read, over few keys. The source text of this function is sent to
 * other processes: it uses only its arguments and the language.
 */
const runClients: ChildProgram<ClientsInput> = async (store, { name, seed, count, clients }, tell) => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const marks = ['~\u0001x', '~\u0001y']
  // The machine's clock, so that processes can be compared.
  const instant = () => Number(process.hrtime.bigint() / 1000n)
  const client = async (number: number) => {
    let state = (seed * 1000 + number + 1) >>> 0
    const roll = (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 4_294_967_296) * below)
    }
    const some = (from: readonly string[]) => from.filter(() => roll(3) === 0)
    for (let at = 0; at < count; at += 1) {
      const start = instant()
      if (roll(6) === 0) {
        const shown = await store.read(async (view) => ({
          rev: view.rev,
          found: await view.scan({ prefix: '' }),
        }))
        tell({ kind: 'scan', start, end: instant(), ...shown })
        continue
      }
      const keys = [...some(names), ...some(marks)]
      const { rev, found } = await store.read(async (view) => ({
        rev: view.rev,
        found: await view.get(keys),
      }))
      tell({ kind: 'read', start, end: instant(), rev, keys, found: found.map((one) => one ?? null) })
      const expect = keys
        .map((key, each) => ({ key, rev: found[each]?.modified ?? 0 }))
        .filter(() => roll(2) === 0)
      const put = some(names).map((key): { key: string; value: Json } => ({ key, value: [name, number, at] }))
      const del = some(names).filter((key) => put.every((each) => each.key !== key))
      const touch = put.length + del.length === 0 ? ['~\u0001x'] : some(marks)
      const commit: Commit = { id: `${name}-${number}-${at}`, expect, put, del, touch }
      const began = instant()
      const [verdict] = await store.commit([commit])
      tell({ kind: 'commit', start: began, end: instant(), commit, verdict })
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
}

/** The number of histories of each kind, and of operations per client in each. */
const sizes = { histories: 2, count: 60, clients: 4, processes: 3 }

/** Fails unless a history is long enough to be meaningful, and strictly serializable. */
function check(history: readonly Operation[]): void {
  const commits = history.flatMap((each) => (each.kind === 'commit' ? [each] : []))
  holds(commits.length > 0, 'no commit was answered')
  same(historyFaults(history), [], 'faults of the history')
}

/**
 * The suite for strict serializability: clients of two handles, and of several processes if the harness has a `module`,
 * read and write few keys concurrently; then every answer is checked against the order of revisions and real time.
 *
 * @param open - opens the realm of a name, empty at first; the harness's `module` exports a function that does the same
 * for child processes
 * @param harness - the test runner's `test`; `peer` for a second handle; `module` and `export` for child processes
 *
 * @example
 * ```ts
 * import { historyConformance, memoryStore } from 'plinth/store'
 *
 * const sentences: string[] = []
 * historyConformance(async () => memoryStore(), { test: (name) => sentences.push(name) })
 * sentences.length // 1
 * ```
 */
export function historyConformance(open: (realm: string) => Promise<Store>, harness: ProcessHarness): void {
  harness.test(
    'the history of many clients of two handles is strictly serializable',
    watched(async (watch) => {
      for (let seed = 1; seed <= sizes.histories; seed += 1) {
        const realm = newRealm('history')
        const kit = watchedKit(watch, () => open(realm), harness)
        const store = await kit.open()
        const peer = (await kit.peer?.(store)) ?? store
        const history: Operation[] = []
        // Told by runClients.
        const tell = (line: unknown) => history.push(line as Operation)
        try {
          const { count, clients } = sizes
          await Promise.all(
            [store, peer].map((handle, at) =>
              runClients(handle, { name: `h${at}`, seed: seed * 10 + at, count, clients }, tell, kit.open),
            ),
          )
        } finally {
          if (peer !== store) await peer.close()
          await store.close()
        }
        check(history)
      }
    }),
  )
  if (harness.module === undefined) return
  harness.test(
    'the history of many clients of three processes is strictly serializable',
    watched(async () => {
      for (let seed = 1; seed <= sizes.histories; seed += 1) {
        const realm = newRealm('history')
        const history: Operation[] = []
        const { count, clients, processes } = sizes
        await Promise.all(
          Array.from({ length: processes }, (_, at) => {
            const input = { name: `p${at}`, seed: seed * 10 + at, count, clients }
            const child = startChild(harness, realm, runClients, input)
            // Told by runClients.
            child.onLine((line) => history.push(line as Operation))
            return child.finished
          }),
        )
        check(history)
      }
    }),
  )
}
