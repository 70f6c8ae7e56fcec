import { spawn } from 'node:child_process'
import { setMaxListeners } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { type Listening, serve } from '../../src/http/node/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'

const scheduler = createScheduler({ store: memoryStore() })
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
let listening: Listening | undefined

afterAll(async () => {
  agent.destroy()
  await listening?.close({ drainMs: 100 })
  await scheduler.close()
})

/** How many files and sockets this process may hold, as far as it can tell. */
const openFiles = (): number => {
  const limits = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = limits.userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : soft === 'unlimited' ? Number.POSITIVE_INFINITY : 1024
}

/** The clients, who live in a process of their own. */
const startClients = (url: string, watchers: number, last: number) => {
  const path = fileURLToPath(new URL('soak-clients.mjs', import.meta.url))
  const child = spawn(process.execPath, [path, url, String(watchers), String(last)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const died = new Promise<never>((_, reject) =>
    child.once('exit', (code) =>
      code === 0 ? undefined : reject(new Error(`the clients ended with ${code}`)),
    ),
  )
  const said = text(child.stdout).then((line) => JSON.parse(line) as { arrived: number; most: number })
  return Promise.race([said, died])
}

/** A poll whose socket is cut. */
const pollUntilCut = (url: string, cut: AbortSignal) =>
  new Promise<'cut'>((resolve, reject) => {
    const asked = request(`${url}/v1/nodes?index=99`, { agent, signal: cut }, () =>
      reject(new Error('answered although nothing had changed')),
    )
    asked.on('error', (error) => (cut.aborted ? resolve('cut') : reject(error)))
    asked.end()
  })

const pool = (Description: string) => ({ Name: 'gpu', Description, Meta: null, SchedulerConfiguration: null })
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2))
}

describe('long polls over real sockets', () => {
  // SOAK=10000 is what the service is made for. A machine that gives fewer sockets gets what it has room for.
  const asked = Number(process.env['SOAK'] ?? 2000)
  const watchers = Math.min(asked, openFiles() - 256)
  const writes = 4

  it(`${watchers} watchers all arrive at the last write, and cut ones leave nothing behind`, async () => {
    expect(watchers).toBeGreaterThan(0)
    listening = await serve({ fetch: scheduler.fetch })
    const { url } = listening
    const last = writes + 1
    const clients = startClients(url, watchers, last)
    const elsewhere = new AbortController()
    setMaxListeners(0, elsewhere.signal)
    const others = Array.from({ length: 20 }, () => pollUntilCut(url, elsewhere.signal))
    /** Until all wait; clients that died say so instead of being waited for. */
    const allWait = () =>
      Promise.race([until(() => scheduler.waiting() === watchers + others.length), clients])
    await allWait()
    for (let write = 0; write < writes; write += 1) {
      const written = await scheduler.upsertPool(pool(String(write)))
      expect(written.ok && written.index).toBe(write + 2)
      // Some writes come one upon the other, some only when everyone waits again.
      if (write === 1) await allWait()
    }
    const { arrived, most } = await clients
    expect(arrived).toBe(watchers)
    expect(most).toBeLessThanOrEqual(writes)
    expect(scheduler.waiting()).toBe(others.length)
    elsewhere.abort()
    expect(new Set(await Promise.all(others))).toEqual(new Set(['cut']))
    await until(() => scheduler.waiting() === 0)
  })
})
