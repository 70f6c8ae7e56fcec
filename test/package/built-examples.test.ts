import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { needing, nextJs, type Program, reactRouter, svelteKit } from '../programs.ts'
import { freePort } from '../store/free-port.ts'
import { installInto } from './installed.ts'

/** The examples that are built before they run, as their pages say, and asked at the server that they start. */
const apps: Readonly<Record<string, Program>> = {
  next: nextJs,
  sveltekit: svelteKit,
  'react-router': reactRouter,
}

/** Builds an example below the folder with its framework; the result starts it, and tells where it listens. */
async function built(name: string): Promise<(...command: readonly [string, ...string[]]) => Promise<string>> {
  const folder = mkdtempSync(resolve('temp/built', name, 'app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join('examples', name), folder, { recursive: true })
  installInto(folder)
  const { NODE_OPTIONS: _, VITEST: __, NODE_ENV: ___, ...clean } = process.env
  const environment = (more: object = {}) =>
    ({ ...clean, HOST: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1', ...more }) as unknown as NodeJS.ProcessEnv
  await promisify(execFile)('npm', ['run', 'build'], { cwd: folder, env: environment() }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${name} is not built:\n${error.stdout}${error.stderr}`)
    },
  )
  return async (command, ...args) => {
    const port = await freePort()
    const env = environment({ PORT: String(port), NODE_ENV: 'production' })
    // A server that npm starts is a child of it: both are of one process group.
    const program = spawn(command, args, { cwd: folder, env, stdio: 'ignore', detached: true })
    onTestFinished(() => void (program.pid !== undefined && process.kill(-program.pid)))
    const base = `http://127.0.0.1:${port}`
    const ask = () => fetch(`${base}/v1/modules?limit=7`).catch(() => undefined)
    await expect.poll(async () => (await ask())?.status, { timeout: 300_000, interval: 200 }).toBe(200)
    expect(await (await ask())?.json()).toEqual({ meta: { limit: 7, current_offset: 0 }, modules: [] })
    return base
  }
}

describe('the example of', () => {
  for (const [name, program] of Object.entries(apps))
    it(...needing(`${name} is built, and answers where the app puts it`, program), async () => {
      const start = await built(name)
      const base = await start('npm', 'start')
      const headers = { 'content-type': 'application/json' }
      const refused = await fetch(`${base}/v1/modules`, { method: 'PUT', headers, body: '{}' })
      expect(refused.status).toBe(405)
      expect(await refused.text()).toContain('PUT is not possible here')
      // Node's parser refuses the method unless the server is prepared.
      const unknown = await fetch(`${base}/v1/modules`, { method: 'LIST' })
      expect(unknown.status).toBe(name === 'sveltekit' ? 405 : 400)
      if (name === 'sveltekit') return

      const behind = await start(process.execPath, 'server.mjs')
      const secret = `${behind}/secrets/v1/secret`
      const token = { 'x-vault-token': 'root' }
      const body = '{"data":{"password":"hunter2"}}'
      await fetch(`${secret}/data/app`, { method: 'POST', headers: token, body })
      const listed = await fetch(`${secret}/metadata`, { method: 'LIST', headers: token })
      expect(await listed.json()).toMatchObject({ data: { keys: ['app'] } })
    })
})
