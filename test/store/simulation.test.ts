import { describe, expect, it } from 'vitest'
import { refuse } from '../../src/kernel/index.ts'
import {
  type Collection,
  collection,
  faulty,
  isStoreError,
  type LocalStore,
  memoryStore,
  type Replica,
  replica,
  type Store,
  type Tx,
  transact,
} from '../../src/store/index.ts'
import { seededRandom, type TestClock, testClock } from '../../src/testing/index.ts'

/*
 * Seeded simulation: two replicas with three clients each over one store that conflicts, loses answers, delivers late,
 * repeats, forgets and jumps in time. PLINTH_SEEDS=100000 for more seeds, PLINTH_SEED=4711 for one of them again.
 */
const only = process.env['PLINTH_SEED']
const count = Number(process.env['PLINTH_SEEDS'] ?? 10_000)
const seeds = only === undefined ? { from: 1, to: count } : { from: Number(only), to: Number(only) }
const timeout = 600_000 + count * 20

const remote = ({ head, read, commit, changes, import: load, close }: LocalStore): Store => ({
  head,
  read,
  commit,
  changes,
  import: load,
  close,
})

interface World {
  readonly base: LocalStore
  readonly clock: TestClock
  readonly roll: (n: number) => number
  /** Decides and commits on one of the replicas; nothing when the outcome stays unknown. */
  act<R>(
    decide: (tx: Tx) => R,
    load?: readonly string[],
  ): Promise<{ readonly result: R; readonly rev: number } | undefined>
}

/** Runs a workload of several clients for one seed and returns what is wrong afterwards. */
async function simulate(
  seed: number,
  workload: Workload,
  flaw: (store: Store) => Store = (store) => store,
): Promise<string[]> {
  const random = seededRandom(seed)
  const roll = (n: number) => Math.floor(random() * n)
  const clock = testClock({ seed })
  const base = memoryStore({ remember: 8 + roll(40), timers: clock.timers })
  const views: Replica[] = []
  for (const nth of [1, 2]) {
    const store = faulty(flaw(remote(base)), { seed: seed * 2 + nth, faults: { idleWake: 0 } })
    views.push(await replica(store, workload.held, { timers: clock.timers }))
  }
  let unknown = 0
  const act: World['act'] = async (decide, load) => {
    const view = views[roll(views.length)]
    if (roll(20) === 0) await clock.set(clock.now() + roll(100_000) - 30_000)
    try {
      return view && (await transact(view, () => clock.env().newId('commit'), decide, { load }))
    } catch (error) {
      if (!isStoreError(error, 'unknown', 'contended')) throw error
      unknown += 1
      return undefined
    }
  }
  const world: World = { base, clock, roll, act }
  const faults = await workload.run(world)
  for (const view of views) {
    // A batch that was lost on its way may still arrive.
    let now = await view.fresh()
    while (now.rev !== base.snapshot().rev) now = await view.fresh()
    const keys = workload.held.flatMap(({ prefix }) => now.scan({ prefix }).map(({ key }) => key))
    const entries = await view.load(keys)
    const wanted = workload.held.flatMap(({ prefix }) => base.snapshot().scan({ prefix }))
    if (JSON.stringify(entries) !== JSON.stringify(wanted)) faults.push('a replica differs from the store')
    await view.close()
  }
  return faults.map((fault) => `seed ${seed}, ${workload.name}: ${fault} (${unknown} outcomes unknown)`)
}

interface Workload {
  readonly name: string
  readonly held: readonly Pick<Collection<unknown>, 'prefix' | 'prefixes' | 'values'>[]
  run(world: World): Promise<string[]>
}

const each = (n: number, fn: (nth: number) => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: n }, (_, nth) => fn(nth)))

/** Secrets with numbered versions: one metadata record, one key per version's data, check-and-set. */
const metadataWith = (values: 'held' | 'read') =>
  collection<{ readonly path: string; readonly current: number }>({
    name: 'kv-meta',
    key: (m) => [m.path],
    values,
  })
const versions = collection<{ readonly path: string; readonly version: number; readonly data: string }>({
  name: 'kv-data',
  key: (v) => [v.path, v.version],
  scopes: () => [],
})
const secretsWith = (metadata: ReturnType<typeof metadataWith>): Workload => ({
  name: `secrets, whose values are ${metadata.values}`,
  held: [metadata],
  run: async ({ base, roll, act }) => {
    const written = new Map<string, string>()
    const faults: string[] = []
    await each(3, async (client) => {
      for (let at = 0; at < 4; at += 1) {
        const path = `p${roll(2)}`
        const data = `${client}-${at}`
        const cas = roll(3) === 0 ? roll(3) : undefined
        const done = await act((tx) => {
          const current = tx.get(metadata, path)?.value.current ?? 0
          if (cas !== undefined && cas !== current)
            return refuse('cas_mismatch', 'another version is current')
          tx.put(metadata, { path, current: current + 1 })
          tx.put(versions, { path, version: current + 1, data })
          return { ok: true, version: current + 1 } as const
        })
        if (done?.result.ok !== true) continue
        const place = versions.keyOf(path, done.result.version)
        if (written.has(place))
          faults.push(`two writers were given version ${done.result.version} of ${path}`)
        written.set(place, data)
        if (base.snapshot().get(place)?.modified !== done.rev)
          faults.push(`version ${done.result.version} is not at ${done.rev}`)
      }
    })
    const now = base.snapshot()
    for (const { value } of metadata.list(now)) {
      const kept = versions.list(now, value.path).map((stored) => stored.value.version)
      const wanted = Array.from({ length: value.current }, (_, at) => at + 1)
      if (JSON.stringify(kept) !== JSON.stringify(wanted))
        faults.push(`${value.path} is at ${value.current} with ${kept.join()}`)
    }
    const kept = versions.list(now).map(({ value }) => value.data)
    if (new Set(kept).size !== kept.length) faults.push('one write was done twice')
    for (const [key, data] of written) {
      const entry = now.get(key)
      if (entry === undefined || versions.stored(entry).value.data !== data)
        faults.push(`an acknowledged version is not what was written`)
    }
    return faults
  },
})
const secrets = secretsWith(metadataWith('held'))

/** A tree of tokens: a child may be made while its parent lives; revoking ends a token and, with it, all below it. */
interface Token {
  readonly id: string
  readonly parent: string | null
  readonly revoked: boolean
  readonly expiresAt: number
}
const tokens = collection<Token>({
  name: 'token',
  key: (token) => [token.id],
  scopes: (token) => (token.parent === null ? [] : [['children', token.parent]]),
})
const tree: Workload = {
  name: 'token tree',
  held: [tokens],
  run: async ({ base, clock, roll, act }) => {
    const made: { readonly id: string; readonly parent: string; readonly rev: number }[] = []
    const revokedAt = new Map<string, number>()
    const root: Token = { id: 'root', parent: null, revoked: false, expiresAt: clock.now() + 1e9 }
    while ((await act((tx) => tx.put(tokens, root))) === undefined);
    await each(4, async (client) => {
      for (let at = 0; at < 4; at += 1) {
        const parent = made.length > 0 && roll(2) === 0 ? (made[roll(made.length)]?.id ?? 'root') : 'root'
        if (roll(4) === 0) {
          const done = await act((tx) => {
            const token = tx.get(tokens, parent)
            if (token === undefined) return refuse('no_such_token', 'gone')
            // Children that come meanwhile raise the mark, and the decision is made again.
            for (const child of tx.list(tokens, ['children', parent])) {
              if (child.value.parent === parent) tx.put(tokens, { ...child.value, revoked: true })
            }
            tx.put(tokens, { ...token.value, revoked: true })
            return { ok: true } as const
          })
          if (done?.result.ok === true)
            revokedAt.set(parent, Math.min(done.rev, revokedAt.get(parent) ?? done.rev))
          continue
        }
        const id = `t${client}-${at}`
        const done = await act((tx) => {
          const above = tx.get(tokens, parent)?.value
          if (above === undefined || above.revoked) return refuse('parent_revoked', 'the parent has ended')
          tx.put(tokens, { id, parent, revoked: false, expiresAt: clock.now() + 60_000 })
          return { ok: true } as const
        })
        if (done?.result.ok === true) made.push({ id, parent, rev: done.rev })
      }
    })
    const now = base.snapshot()
    const faults: string[] = []
    for (const { id, parent, rev } of made) {
      const ended = revokedAt.get(parent)
      if (ended !== undefined && rev > ended)
        faults.push(`${id} was made at ${rev} below ${parent}, revoked at ${ended}`)
      if (ended !== undefined && tokens.get(now, id)?.value.revoked !== true)
        faults.push(`${id} outlived its parent`)
    }
    return faults
  },
}

/** Boxes: case-insensitive unique names, a release needs a provider, and the count per owner matches the boxes. */
interface Box {
  readonly id: string
  readonly name: string
  readonly providers: readonly string[]
  readonly released: boolean
}
const boxes = collection<Box>({
  name: 'box',
  key: (box) => [box.id],
  unique: { name: (box) => [box.name.toLowerCase()] },
})
const totals = collection<{ readonly id: string; readonly boxes: number }>({
  name: 'total',
  key: (total) => [total.id],
})
const catalog: Workload = {
  name: 'boxes',
  held: [boxes, totals],
  run: async ({ base, roll, act }) => {
    const created = new Map<string, string>()
    await each(3, async (client) => {
      for (let at = 0; at < 5; at += 1) {
        const name = ['Web', 'web', 'DB', 'db', 'Cache'][roll(5)] ?? 'web'
        const id = `${client}-${at}`
        const kind = roll(3)
        const done = await act((tx) => {
          const found = tx.find(boxes, 'name', name.toLowerCase())
          const total = tx.get(totals, 'all')?.value.boxes ?? 0
          if (kind === 0) {
            if (found) return refuse('name_taken', 'that name is taken')
            tx.put(boxes, { id, name, providers: [], released: false })
            tx.put(totals, { id: 'all', boxes: total + 1 })
          } else if (found === undefined) {
            return refuse('no_such_box', 'no box has that name')
          } else if (kind === 1) {
            tx.put(boxes, { ...found.value, providers: [...found.value.providers, id] })
          } else if (found.value.released) {
            tx.delete(boxes, found.value.id)
            tx.put(totals, { id: 'all', boxes: total - 1 })
          } else {
            if (found.value.providers.length === 0) return refuse('no_provider', 'upload a provider first')
            tx.put(boxes, { ...found.value, released: true })
          }
          return { ok: true } as const
        })
        if (done?.result.ok === true && kind === 0) created.set(id, name)
      }
    })
    const now = base.snapshot()
    const all = boxes.list(now).map(({ value }) => value)
    const faults: string[] = []
    if (new Set(all.map(({ name }) => name.toLowerCase())).size !== all.length)
      faults.push('two boxes have one name')
    if (all.some(({ released, providers }) => released && providers.length === 0))
      faults.push('released without a provider')
    if ((totals.get(now, 'all')?.value.boxes ?? 0) !== all.length) faults.push('the total is wrong')
    if (now.scan({ prefix: 'box!' }).length !== all.length) faults.push('a unique name without its box')
    for (const { id, name } of all)
      if (created.has(id) && created.get(id) !== name) faults.push('a box was renamed')
    return faults
  },
}

describe('under a store that misbehaves in every way the port allows', () => {
  const workloads = [secrets, secretsWith(metadataWith('read')), tree, catalog]
  const share = Math.ceil((seeds.to - seeds.from + 1) / workloads.length)
  it.each(workloads.map((workload, nth) => [workload.name, workload, nth] as const))(
    'nothing acknowledged is lost or done twice: %s',
    { timeout },
    async (_, workload, nth) => {
      const from = only === undefined ? seeds.from + nth * share : seeds.from
      const to = only === undefined ? Math.min(seeds.to, from + share - 1) : seeds.to
      for (let seed = from; seed <= to; seed += 1) expect(await simulate(seed, workload)).toEqual([])
    },
  )

  it('a store that forgets which commits it accepted is found out', async () => {
    const forgetful = (store: Store): Store => ({
      ...store,
      commit: (batch) =>
        store.commit(
          batch.map((commit) => (commit.again === true ? { ...commit, id: `${commit.id} again` } : commit)),
        ),
    })
    const found: string[] = []
    for (let seed = 1; seed <= 60; seed += 1) found.push(...(await simulate(seed, secrets, forgetful)))
    expect(found.join('\n')).toContain('one write was done twice')
  })
})
