import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../src/store/index.ts'
import { node, remote, servers, ttl } from './several-servers.ts'

describe('a node whose heartbeats reach several servers', () => {
  it('stays ready if they go to each in turn', async () => {
    const { all, pass, statusOf } = await servers(3)
    await all[0]?.registerNode(node('n1'))
    const seen = new Set<string | undefined>()
    await pass(60, async (second) => {
      for (const at of [0, 1, 2]) seen.add(await statusOf(at, 'n1'))
      await all[(second / 2) % 3]?.heartbeatNode('n1')
    })
    expect([...seen]).toEqual(['ready'])
  })

  it('stays ready if they move from one to another', async () => {
    const { all, pass, statusOf } = await servers(2)
    await all[0]?.registerNode(node('n1'))
    await pass(20, () => all[0]?.heartbeatNode('n1') ?? Promise.resolve())
    const seen = new Set<string | undefined>()
    await pass(40, async () => {
      seen.add(await statusOf(0, 'n1'))
      await all[1]?.heartbeatNode('n1')
    })
    expect([...seen]).toEqual(['ready'])
  })

  it('is down once none has heard from it, also if the one that did is cut off', async () => {
    const { all, pass, cut, statusOf } = await servers(2)
    for (const id of ['n1', 'n2']) await all[0]?.registerNode(node(id))
    await pass(20, async () => {
      await all[0]?.heartbeatNode('n1')
      await all[1]?.heartbeatNode('n2')
    })
    cut.add(0)
    await pass(20, () => all[1]?.heartbeatNode('n2') ?? Promise.resolve())
    expect(await statusOf(1, 'n1')).toBe('down')
    expect(await statusOf(1, 'n2')).toBe('ready')
  })

  it('is down once none has heard from it, even while servers start that expect its heartbeats', async () => {
    const { all, add, pass, statusOf } = await servers(1)
    await all[0]?.registerRunner(node('n1'))
    await pass(12, async (second) => {
      if (second % 4 === 0) await add()
    })
    expect(await statusOf(0, 'n1')).toBe('down')
  })

  it('is announced no more by a server that closes while the store is away', async () => {
    const errors: unknown[] = []
    const link = remote(memoryStore())
    let commit = link.commit
    const store: Store = { ...link, commit: (batch) => commit(batch) }
    const { all, clock } = await servers(1, { store, onError: (error) => errors.push(error) })
    await all[0]?.registerNode(node('n1'))
    await all[0]?.heartbeatNode('n1')
    let refuse = (_: Error) => {}
    const away = new Promise<never>((_, reject) => {
      refuse = reject
    })
    commit = () => away
    await clock.advance(ttl / 3)
    const closed = all[0]?.close()
    refuse(new Error('away'))
    await closed
    const before = errors.length
    await clock.advance(10 * ttl)
    expect(errors.length).toBe(before)
  })

  it('costs no commit a heartbeat', async () => {
    const { all, pass, commits } = await servers(2)
    const ids = Array.from({ length: 20 }, (_, at) => `n${at}`)
    for (const id of ids) await all[0]?.registerNode(node(id))
    const before = commits()
    await pass(60, async () => {
      for (const [at, id] of ids.entries()) await all[at % 2]?.heartbeatNode(id)
    })
    // One for each server in a third of the TTL, of 600 heartbeats.
    expect(commits() - before).toBeLessThanOrEqual(2 * 31)
  })
})
