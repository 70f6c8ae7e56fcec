import { describe, expect, it } from 'vitest'
import { type Env, refuse, type ServiceEvent } from '../../../src/kernel/index.ts'
import { contents, type RegistryTx, versions } from '../../../src/registry/records.ts'
import { collection, memoryStore, replica } from '../../../src/store/index.ts'
import { realmOwners } from '../../../src/store/realm/realm-owner.ts'
import { type RecordsOf, runner } from '../../../src/store/transactions/runner.ts'

interface Item {
  readonly name: string
  readonly left: number
}
interface Photo {
  readonly name: string
  readonly bytes: string
}
type StockEvent = { readonly type: 'item.taken'; readonly name: string }

const items = collection<Item>({ name: 'item', key: ({ name }) => [name] })
const photos = collection<Photo>({ name: 'photo', key: ({ name }) => [name] })
const held = [items]

async function stock() {
  const heard: ServiceEvent<StockEvent>[] = []
  let commits = 0
  const env = (): Env => ({ now: 1_000 + commits, newId: (kind) => `${kind}-${++commits}` })
  const view = await replica(memoryStore(), [...held, realmOwners])
  const { commit, commitAt } = runner<StockEvent, RecordsOf<typeof held>>({
    service: 'registry',
    view: () => view,
    env,
    emit: (event) => heard.push(event),
  })
  const put = (left: number) =>
    commit((tx) => {
      tx.put(items, { name: 'bolt', left })
      return { ok: true, value: undefined, events: [] }
    })
  const take = (count: number) =>
    commitAt<number, 'too_few'>((tx) => {
      const left = (tx.get(items, 'bolt')?.value.left ?? 0) - count
      tx.put(items, { name: 'bolt', left })
      return left < 0
        ? refuse('too_few', `there are not ${count}`)
        : { ok: true, value: left, events: [{ type: 'item.taken', name: 'bolt' }] }
    })
  return { heard, put, take, view }
}

describe('the runner of a service', () => {
  it('commits what a decision writes, and reports it once it is stored, as of the instant of the decision', async () => {
    const { put, take, heard, view } = await stock()
    await put(5)
    expect(await take(3)).toEqual({ answer: { ok: true, value: 2 }, rev: 2 })
    expect(items.get(await view.fresh(), 'bolt')?.value.left).toBe(2)
    expect(heard).toEqual([{ at: 1_002, type: 'item.taken', name: 'bolt' }])
  })

  it('drops the writes of a refusal, and reports nothing', async () => {
    const { put, take, heard, view } = await stock()
    await put(1)
    expect(await take(3)).toMatchObject({ answer: { refusal: { code: 'too_few' } }, rev: 1 })
    expect(items.get(await view.fresh(), 'bolt')?.value.left).toBe(1)
    expect(heard).toEqual([])
  })

  it('decides again where another writer was faster', async () => {
    const { put, take } = await stock()
    await put(5)
    const answers = await Promise.all([take(2), take(2), take(2)])
    expect(answers.map(({ answer }) => (answer.ok ? answer.value : answer.refusal.code))).toEqual([
      3,
      1,
      'too_few',
    ])
  })

  it('does not compile where a decision reads what the replica of its service does not hold', async () => {
    const { commit } = runner<StockEvent, RecordsOf<typeof held>>({
      service: 'registry',
      view: () => replica(memoryStore(), [...held, realmOwners]),
      env: () => ({ now: 0, newId: (kind) => kind }),
      emit: () => {},
    })
    const reads = commit((tx) => {
      // @ts-expect-error photos are not held
      tx.get(photos, 'bolt')
      return { ok: true, value: undefined, events: [] }
    })
    await expect(reads).rejects.toThrow('photo')
    const ofRegistry = (tx: RegistryTx) => [
      // @ts-expect-error versions lie in the store only
      tx.get(versions, 'id', '1.0.0'),
      // @ts-expect-error so do their contents
      tx.get(contents, 'id', '1.0.0'),
    ]
    expect(ofRegistry).toBeTypeOf('function')
  })
})
