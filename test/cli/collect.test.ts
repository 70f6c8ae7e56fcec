import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from '../../src/cli/command/parse.ts'
import { serve } from '../../src/cli/commands/serve.ts'
import { checkServeFlags } from '../../src/cli/serve/check-flags.ts'
import { openScheduler } from '../../src/cli/serve/services/scheduler.ts'
import { settle } from '../../src/cli/serve/settings.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { nodeHashing } from '../../src/store/blobs/node-hashing.ts'
import { memoryBlobs, memoryStore } from '../../src/store/index.ts'
import { folder, removeFolders } from './server.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
afterAll(removeFolders)

const config = (text: string): string => {
  const path = join(folder(), 'plinth.hcl')
  writeFileSync(path, text)
  return path
}

/** Whether a job that is over is still there after a day of `plinth serve` with these flags. */
async function keepsDeadJobs(...flags: readonly string[]): Promise<boolean> {
  const store = memoryStore()
  const data = {
    store: async () => store,
    blobs: memoryBlobs(nodeHashing),
    archives: memoryBlobs(nodeHashing),
    blobsAt: '',
    recordBlobs: async () => {},
    own: async () => memoryStore(),
    isServed: async () => false,
    isShared: async () => false,
    devKeys: undefined,
    durable: false,
    unreachable: async () => [],
    close: async () => {},
  }
  const settings = await settle(checkServeFlags(parse(['plinth', 'serve'], serve, flags).flags))
  const { service, close } = await openScheduler({
    settings,
    data,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    observer: () => undefined,
    consoleUrl: () => undefined,
  })
  unwrap(await service.load({ jobs: [{ ID: 'over', Status: 'dead', Stop: true }] }))
  const jobs = async () => (await service.fetch(new Request('http://s.test/v1/jobs'))).text()
  expect(await jobs()).not.toBe('[]')
  await vi.advanceTimersByTimeAsync(24 * 3_600_000)
  const left = await jobs()
  await close()
  return left !== '[]'
}

describe('plinth serve and what is over', () => {
  it('collects it by default', async () => {
    expect(await keepsDeadJobs()).toBe(false)
  })

  it('keeps it with --no-collect', async () => {
    expect(await keepsDeadJobs('--no-collect')).toBe(true)
  })

  it('keeps it where the configuration says so', async () => {
    expect(await keepsDeadJobs('--config', config('scheduler {\n  collect = true\n}\n'))).toBe(false)
    expect(await keepsDeadJobs('--config', config('scheduler {\n  collect = false\n}\n'))).toBe(true)
  })
})
