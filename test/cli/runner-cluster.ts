import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { toNodeListener } from '../../src/http/node/index.ts'
import { createScheduler, type JobInput, type SchedulerOptions } from '../../src/scheduler/index.ts'
import { memoryStore } from '../../src/store/index.ts'
import { type Plinth, plinth } from './server.ts'

let made = ''
const closing: (() => Promise<unknown>)[] = []

/** Gives each test of a file a folder of its own, and ends what it started. */
export function endAfterEach(): void {
  beforeEach(() => {
    made = mkdtempSync(join(tmpdir(), 'plinth-runner-'))
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    rmSync(made, { recursive: true, force: true })
  })
}

/** The folder of this test. */
export const folder = (): string => made

/** A scheduler that places, and really listens. */
export async function cluster(options: Partial<SchedulerOptions> = {}) {
  const scheduler = createScheduler({ store: memoryStore(), place: true, simulate: true, ...options })
  const server = createServer(toNodeListener(scheduler.fetch)).listen(0)
  closing.push(async () => {
    scheduler.drain()
    server.closeAllConnections()
    server.close()
    await scheduler.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  /** A runner that is registered, with a folder of its own. */
  const runner = async (
    node: string,
    env: Readonly<Record<string, string>> = {},
    more: readonly string[] = [],
  ): Promise<Plinth> => {
    const started = plinth(
      ['runner', '--address', url, '--node', node, '--dir', join(folder(), node), '--json', ...more],
      env,
    )
    closing.push(() => {
      started.child.kill('SIGTERM')
      return started.exited
    })
    await expect.poll(() => started.output().stdout + started.output().stderr).toContain('"ready":true')
    return started
  }
  const live = async (job: string) => {
    const found = await scheduler.listJobAllocations(job)
    return found.ok
      ? found.value.filter(
          ({ DesiredStatus, ClientStatus }) => DesiredStatus === 'run' && ClientStatus === 'running',
        )
      : []
  }
  const allocationOf = async (job: string) => {
    const found = await scheduler.listJobAllocations(job)
    return found.ok ? found.value.at(-1) : undefined
  }
  return { scheduler, url, runner, live, allocationOf }
}

/** A job of one task that runs a text of the shell. */
export const shell = (
  ID: string,
  script: string,
  more: Partial<JobInput> & { readonly task?: object; readonly group?: object } = {},
): JobInput => {
  const { task, group, ...job } = more
  return {
    ID,
    Update: { MinHealthyTime: 100e6, HealthyDeadline: 20e9 },
    TaskGroups: [
      {
        Name: 'app',
        RestartPolicy: { Attempts: 0, Delay: 50e6, Mode: 'fail' },
        Tasks: [
          {
            Name: 'main',
            Driver: 'raw_exec',
            Config: { command: 'sh', args: ['-c', script] },
            Resources: { CPU: 10, MemoryMB: 10 },
            KillTimeout: 2e9,
            ...task,
          },
        ],
        ...group,
      },
    ],
    ...job,
  }
}

export const logOf = (node: string, allocation: string, name = 'stdout', task = 'main') => {
  const file = join(folder(), node, 'allocations', allocation, 'alloc', 'logs', `${task}.${name}.0`)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Whether a process runs; a zombie does not. */
export const isAlive = (pid: number) => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}

export const slow = { interval: 100 }
