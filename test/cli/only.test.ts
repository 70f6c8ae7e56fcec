import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, plinth, run, start } from './server.ts'

afterAll(cleanUp)

describe('plinth serve --only', () => {
  it('starts some services, and leaves the others out of its ready line', async () => {
    const server = await start('--only', 'catalog, registry', '--demo')
    expect(Object.keys(server.ready)).toEqual(['ready', 'catalog', 'registry'])
    expect((await fetch(`${server.ready.registry.modulesUrl}?limit=1`)).status).toBe(200)
    expect((await fetch(`${server.ready.catalog.url}/api/v2/search?q=`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
  })

  it('starts health alone, and says so to people', async () => {
    const { child, output, exited } = plinth(['serve', '--only=gateway', '--gateway-port=0'])
    await expect.poll(() => output().stdout).toContain('/health')
    expect(output().stdout).not.toMatch(/secrets|catalog|SECRETS_ADDR/)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('loads no records into what it leaves out', async () => {
    const file = join(folder(), 'records.json')
    writeFileSync(file, JSON.stringify({ registry: { modules: [] }, scheduler: { nodes: [] } }))
    expect(await run(['serve', '--json', '--only', 'registry', '--registry-port=0', '--load', file])).toEqual(
      {
        code: 1,
        stdout: '',
        stderr: `plinth: ${file}: scheduler: --only excludes this service: add it there, or remove its records\n`,
      },
    )
  })

  it.each([
    ['--only', 'catalogue', 'not "catalogue"; did you mean catalog?'],
    ['--only', 'catalog,', 'not ""'],
    ['--catalog-url', 'boxes.example.com', '--catalog-url takes a scheme, a host and an optional path'],
    ['--console-url', 'console.example.com', '--console-url takes only a scheme and a host'],
    ['--console-url', 'https://example.com/console', '--console-url takes only a scheme and a host'],
    ['--console-url', 'https://example.com?page=1', '--console-url takes only a scheme and a host'],
    ['--console-url', 'https://me:secret@example.com', '--console-url takes only a scheme and a host'],
    ['--registry-url', '', '--registry-url takes a scheme'],
  ])('refuses %s %s', async (flag, value, text) => {
    expect(await run(['serve', flag, value])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text),
    })
  })
})

it('plinth serve --catalog-url and --registry-url are what the links in answers begin with', async () => {
  const { ready, stop } = await start(
    '--demo',
    '--only=catalog,registry',
    '--catalog-url=https://boxes.example.com/base/',
    '--registry-url=https://modules.example.com',
  )
  const found = await (await fetch(`${ready.catalog.url}/api/v2/search?q=`)).text()
  expect(found).toContain('https://boxes.example.com/base/')
  expect(found).not.toContain(ready.catalog.url)
  const discovery = await fetch(`${ready.registry.url}/.well-known/terraform.json`)
  expect(await discovery.text()).toContain('https://modules.example.com/v1/modules/')
  expect(await stop()).toBe(0)
})
