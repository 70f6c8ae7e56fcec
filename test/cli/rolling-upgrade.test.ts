import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { prepareServices, rootToken, type Server, serviceClients } from '../faults/clients.ts'
import { bundleCommandLine } from '../global-setup.ts'
import { postgresServer } from '../store/postgres-server.ts'
import { cleanUp, folder, plinth, ready } from './server.ts'

/** The commit that `bench:compare` compares with, as the version before this one. */
const olderCommit = readFileSync('bench/base', 'utf8').trim()
/** Below this folder packages are found. */
const older = resolve(`temp/older-${process.pid}`)

afterAll(() => {
  cleanUp()
  rmSync(older, { recursive: true, force: true })
})

/** Bundles the command line of the older commit. */
async function olderCommandLine(): Promise<string> {
  mkdirSync(older, { recursive: true })
  const packed = execFileSync('git', ['archive', olderCommit, 'src', 'grammar', 'scripts', 'package.json'], {
    maxBuffer: 1e9,
  })
  execFileSync('tar', ['-x', '-C', older], { input: packed })
  execFileSync(process.execPath, ['scripts/generate-parsers.mjs'], { cwd: older })
  // The pages of the console are not served here.
  cpSync('src/console/generated', join(older, 'src/console/generated'), { recursive: true })
  return bundleCommandLine(join(older, 'cli'), join(older, 'src/cli/main.ts'))
}

it('servers of two versions share one PostgreSQL: a rolling upgrade under load loses and refuses nothing', async () => {
  const database = await postgresServer()
  const data = await database.database()
  const [keys, oldCli] = [join(folder(), 'dev-keys.json'), await olderCommandLine()]
  const start = async (cli?: string) => {
    const flags = ['--data', data, '--dev-keys', keys, '--root-token', rootToken, '--blobs', folder()]
    const args = ['serve', '--json', '--only', 'secrets,scheduler', ...flags]
    const server = await ready(plinth(args, cli === undefined ? {} : { PLINTH_CLI: cli }))
    const { secrets, scheduler } = server.ready
    return { ...server, at: { secrets: secrets.url, scheduler: scheduler.url } satisfies Server }
  }
  const running = [await start(oldCli), await start(oldCli), await start(oldCli)]
  const up: (Server | undefined)[] = running.map(({ at }) => at)
  await prepareServices(running[0]?.at as Server)
  const clients = await serviceClients(() => up)
  await clients.rounds(2)
  for (const [number, server] of running.entries()) {
    // As a load balancer that has seen its health.
    up[number] = undefined
    await clients.rounds(2)
    expect(await server.stop()).toBe(0)
    up[number] = (await start()).at
    await clients.rounds(2)
  }
  const { kept, failures, wrong } = await clients.end()
  expect({ failures, wrong }).toEqual({ failures: 0, wrong: [] })
  expect(kept.jobs).toBeGreaterThan(20)
  await database.stop()
})
