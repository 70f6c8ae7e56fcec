import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, type Server, start } from './server.ts'

/**
 * What the page about the development server shows is what happens: its files start one, its transcript is repeated.
 */

const page = readFileSync('site/guide/development-server.md', 'utf8')
const files = [...page.matchAll(/^`([\w.]+)`:\n\n```\w+\n([\s\S]*?)^```/gm)].map(
  ([, name = '', text = '']) => ({
    name,
    text,
  }),
)
const steps = (/^```console\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '')
  .split(/^\$ /m)
  .slice(1)
  .map((step) => {
    const [command = '', ...output] = step.trimEnd().split('\n')
    return { command, output: output.join('\n') }
  })

let server: Server
beforeAll(async () => {
  const home = folder()
  for (const { name, text } of files) writeFileSync(join(home, name), text)
  const [, flags = ''] = /^plinth serve (.+)$/m.exec(page) ?? []
  const args = flags.split(' ').map((arg) => (files.some(({ name }) => name === arg) ? join(home, arg) : arg))
  expect(args).toEqual(expect.arrayContaining(files.map(({ name }) => join(home, name))))
  server = await start(...args)
})
afterAll(cleanUp)

const text = async (url: string) => (await fetch(url)).text()

describe('the files of the page about the development server', () => {
  it('fill the services', async () => {
    const { scheduler, catalog, registry } = server.ready
    expect(await text(`${scheduler.url}/v1/node/pool/gpu/nodes`)).toContain('"gpu-1"')
    expect(await text(`${scheduler.url}/v1/job/web`)).toContain('"Priority":70')
    expect(await text(`${registry.modulesUrl}acme/vpc/aws`)).toContain('"version":"1.2.0"')
    expect(await text(`${catalog.url}/api/v2/box/acme/tiny`)).toContain('https://example.com/tiny.box')
  })

  it('set the listeners up', async () => {
    const { secrets, gateway } = server.ready
    const sealStatus = `${secrets.url}/v1/sys/seal-status`
    expect((await fetch(sealStatus)).status).toBe(412)
    const answer = await fetch(sealStatus, {
      headers: { 'X-Secrets-Request': 'true', origin: 'https://console.example.com' },
    })
    expect(answer.headers.get('x-team')).toBe('platform')
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://console.example.com')
    expect(await text(`${gateway.url}/health?worker_info=1`)).toContain('READY')
  })
})

describe('the transcript of the page about the development server', () => {
  it.each(steps)('$command', async ({ command, output }) => {
    const cli = `plinth() { "${process.execPath}" "${process.env['PLINTH_CLI']}" "$@"; }`
    const env = { ...process.env, SECRETS_ADDR: server.ready.secrets.url, SECRETS_TOKEN: 'root' }
    const { stdout } = await promisify(execFile)('bash', ['-c', `${cli}\n{ ${command}; } 2>&1 || true`], {
      env,
    })
    expect(stdout.trimEnd()).toBe(output)
  })

  it('exists', () => {
    expect(steps.length).toBeGreaterThan(4)
    expect(files).toHaveLength(3)
  })
})
