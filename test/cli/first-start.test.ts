import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { anyPort, cleanUp, folder, plinth, start } from './server.ts'

afterAll(cleanUp)

const preload = pathToFileURL(resolve('test/cli/dies-at.mjs')).href

/** Starts a server that dies right before a step, from 1; resolves to whether it was ready sooner. */
async function isReadyBefore(step: number, args: readonly string[]): Promise<boolean> {
  const env = { NODE_OPTIONS: `--import=${preload}`, PLINTH_DIES_AT: String(step) }
  const server = plinth(['serve', '--json', ...anyPort, ...args], env)
  const ready = new Promise<boolean>((settle) => {
    server.child.stdout.on('data', () => settle(server.output().stdout.includes('\n')))
  })
  const wasReady = await Promise.race([ready, server.exited.then(() => false)])
  server.child.kill('SIGKILL')
  expect([await server.exited, server.output().stderr]).toEqual([null, ''])
  return wasReady
}

it.each([
  { start: 'a first start', given: [], stride: 1, least: 25 },
  // Its hundreds of commits follow the same keys and realms: some steps stand for all.
  { start: 'a first start with demo data', given: ['--demo'], stride: 211, least: 1_000 },
])(
  '$start that is killed before any of its commits and file operations leaves what the next one starts with',
  async ({ given, stride, least }) => {
    let steps = 0
    let isOver = false
    const next = async () => {
      while (!isOver) {
        steps += stride
        const data = join(folder(), 'data')
        const args = [...given, '--data', data]
        isOver ||= await isReadyBefore(steps, args)
        const again = await start(...args)
        const { url, rootToken } = again.ready.secrets
        const headers = { 'X-Secrets-Token': rootToken ?? '' }
        const own = await fetch(`${url}/v1/auth/token/lookup-self`, { headers })
        expect(own.status).toBe(200)
        expect(await again.stop()).toBe(0)
        expect(readdirSync(data).filter((name) => name.startsWith('dev-keys'))).toEqual(['dev-keys.json'])
      }
    }
    await Promise.all([next(), next()])
    expect(steps).toBeGreaterThan(least)
    // Dozens of starts: a loaded machine needs more than the limit of other tests.
  },
  3_600_000,
)
