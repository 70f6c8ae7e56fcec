import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run, start } from './server.ts'

afterAll(cleanUp)

describe('plinth serve --production', () => {
  it.each([
    [['--demo'], '--demo is for development'],
    [['--root-token=root'], '--root-token is for development'],
    [['--dev-keys=keys.json'], '--dev-keys is for development'],
    [['--idp-script=script.json'], '--idp-script is for development'],
    [['--data=memory'], 'needs durable data'],
    [['--host=0.0.0.0'], 'beyond this machine without TLS'],
  ])('refuses %j', async (flags, text) => {
    const given = flags[0]?.startsWith('--data') ? flags : ['--data', join(folder(), 'data'), ...flags]
    expect(await run(['serve', '--production', ...given])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(text),
    })
  })

  it('needs data', async () => {
    expect(await run(['serve', '--production'])).toMatchObject({ code: 2 })
  })

  it('loses no token with a start that fails: its first users are created by the start that shows their tokens', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const flags = ['--production', '--only=catalog', '--data', join(folder(), 'data')]
    const failed = await run(['serve', ...flags, '--catalog-user=boss:password-1', `--catalog-port=${port}`])
    taken.close()
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('already in use') })
    const server = await start(...flags, '--catalog-user=boss:password-1')
    expect(Object.keys(server.ready.catalog.tokens)).toEqual(['boss'])
    await server.stop()
  })

  it('makes none of its first users where the name of one is wrong', async () => {
    const flags = ['--production', '--only=catalog', '--data', join(folder(), 'data')]
    const failed = await run([
      'serve',
      ...flags,
      '--catalog-user=boss:password-1',
      '--catalog-user=a@b:password-1',
    ])
    expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining('"a@b" is invalid') })
    const server = await start(...flags, '--catalog-user=boss:password-1')
    expect(Object.keys(server.ready.catalog.tokens)).toEqual(['boss'])
    await server.stop()
  })

  it.each([
    [['--behind-proxy'], true],
    [['--behind-proxy', '--host=0.0.0.0', '--catalog-url=https://boxes.example.com'], false],
    [[], false],
  ])('with %j warns that links lead to its own address: %s', async (more, warns) => {
    const server = await start('--production', '--only=catalog', '--data', join(folder(), 'data'), ...more)
    await server.stop()
    expect(server.output().stderr.includes('--catalog-url is missing')).toBe(warns)
  })

  it('builds no link from the Host that a client sends', async () => {
    const server = await start(
      ...['--production', '--only=catalog', '--data', join(folder(), 'data')],
      '--catalog-user=boss:password-1',
    )
    const { url, tokens } = server.ready.catalog
    const post = async (path: string, body: unknown) => {
      const sent = request(`${url}/api/v2/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${tokens['boss']}`,
          host: 'evil.example',
          'x-forwarded-host': 'evil.example',
          'x-forwarded-proto': 'https',
        },
      })
      sent.end(JSON.stringify(body))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return text(answer)
    }
    await post('boxes', { box: { name: 'tiny' } })
    const version = await post('box/boss/tiny/versions', { version: { version: '1.0.0' } })
    expect(JSON.parse(version)).toMatchObject({
      release_url: expect.stringContaining(`${url}/api/v2/box/boss`),
    })
    expect(version).not.toContain('evil')
    await server.stop()
  })

  it('unseals itself with a static key from a file or the environment, also after the key was rotated', async () => {
    const place = folder()
    const config = join(place, 'plinth.hcl')
    const seal = (text: string) => writeFileSync(config, `seal "static" {\n${text}\n}\n`)
    writeFileSync(join(place, 'first.key'), Buffer.alloc(32, 1))
    const flags = ['--production', '--only=secrets', '--data', join(place, 'data'), '--config', config]
    const status = async (server: Awaited<ReturnType<typeof start>>): Promise<unknown> =>
      (await fetch(`${server.ready.secrets.url}/v1/sys/seal-status`)).json()
    seal(`current_key_id = "one"\ncurrent_key = "file://${join(place, 'first.key')}"`)
    const fresh = await start(...flags)
    const body = JSON.stringify({ secret_shares: 1, secret_threshold: 1 })
    const made = await fetch(`${fresh.ready.secrets.url}/v1/sys/init`, { method: 'PUT', body })
    expect(made.status).toBe(200)
    expect(await status(fresh)).toMatchObject({ type: 'static', sealed: false })
    expect(fresh.output().stderr).toContain('unseals itself')
    await fresh.stop()
    process.env['PLINTH_TEST_SEAL'] = Buffer.alloc(32, 2).toString('base64')
    seal(
      `current_key_id = "two"\ncurrent_key = "env://PLINTH_TEST_SEAL"\nprevious_key_id = "one"\nprevious_key = "file://${join(place, 'first.key')}"`,
    )
    const rotated = await start(...flags)
    expect(await status(rotated)).toMatchObject({ sealed: false })
    expect(rotated.ready.secrets.seal).toBe('unsealed')
    await rotated.stop()
    seal('current_key_id = "two"\ncurrent_key = "env://PLINTH_TEST_SEAL"')
    const later = await start(...flags)
    expect(await status(later)).toMatchObject({ sealed: false })
    await later.stop()
    seal(`current_key_id = "one"\ncurrent_key = "file://${join(place, 'first.key')}"`)
    expect(await run(['serve', ...flags])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('sealed with the static key "two"'),
    })
    delete process.env['PLINTH_TEST_SEAL']
  })

  it.each([
    ['seal "hsm" {\n}', /line 1: seal: the only type is "static"/],
    ['seal "static" {\n  current_key_id = "a"\n}', /seal: current_key: /],
    [
      'seal "static" {\n  current_key_id = "a"\n  current_key = "AAAA"\n}',
      /current_key: expected a key of 32 bytes/,
    ],
    [
      'seal "static" {\n  current_key_id = "a"\n  current_key = "env://PLINTH_UNSET"\n}',
      /PLINTH_UNSET is not set/,
    ],
    ['seal "static" {\n  current_key_id = "a"\n  current_key = "file:///nope"\n}', /current_key: .*ENOENT/],
    [
      'seal "static" {\n  current_key_id = "a"\n  current_key = "x"\n  previous_key = "y"\n}',
      /previous_key_id and previous_key are set together/,
    ],
  ])('names what is wrong with %j', async (text, message) => {
    const config = join(folder(), 'plinth.hcl')
    writeFileSync(config, text)
    const result = await run(['serve', '--sealed', '--only=secrets', '--config', config])
    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(message) })
  })

  it('makes nothing up, follows its configuration on SIGHUP, and logs JSON', async () => {
    const place = folder()
    const config = join(place, 'plinth.hcl')
    const limit = (bytes: number) =>
      writeFileSync(
        config,
        `listener "tcp" {\n  purpose = "catalog"\n  tls_disable = true\n  max_request_size = ${bytes}\n}\n`,
      )
    limit(10)
    const flags = [
      '--production',
      '--data',
      join(place, 'data'),
      '--config',
      config,
      '--catalog-user=boss:password-1',
    ]
    const server = await start(...flags)
    const { secrets, scheduler, catalog, registry, gateway } = server.ready
    expect({ ...secrets, url: '' }).toEqual({
      url: '',
      rootToken: null,
      unsealKeys: [],
      seal: 'uninitialised',
    })
    expect([scheduler.managementToken, registry.token]).toEqual([null, null])
    expect(Object.keys(catalog.tokens)).toEqual(['boss'])
    expect((await fetch(`${scheduler.url}/v1/jobs`)).status).toBe(403)
    const login = () =>
      fetch(`${catalog.url}/api/v1/authenticate`, {
        method: 'POST',
        body: JSON.stringify({ user: { login: 'boss', password: 'password-1' } }),
      })
    expect((await login()).status).toBe(413)
    limit(10_000)
    server.child.kill('SIGHUP')
    await expect.poll(() => server.output().stderr).toContain('was reloaded')
    const made: unknown = await (await login()).json()
    expect(made).toMatchObject({ token: expect.any(String) })
    // An administrator makes users.
    const user = await fetch(`${catalog.url}/api/v2/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${catalog.tokens['boss']}` },
      body: JSON.stringify({ user: { username: 'alice', password: 'password-2' } }),
    })
    expect(user.status).toBe(200)
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toMatch(
      /plinth_http_requests_total\{service="catalog",route="v2.user.create",method="POST",status="200"\} 1/,
    )
    expect(metrics).toMatch(/plinth_store_commits_total\{realm="catalog"\} [1-9]/)
    expect(metrics).toMatch(/^nodejs_eventloop_lag_seconds /m)
    expect(metrics).not.toMatch(/alice|boss/)
    expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
    expect(await server.stop()).toBe(0)
    const lines = server.output().stderr.trim().split('\n')
    const logged = lines.map((line) => JSON.parse(line)).filter(({ level }) => level !== undefined)
    expect(logged[0].level).toBe('warn')
    expect(logged.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^--\w+-port 0 overrides/),
      'ready',
      'the configuration was reloaded',
      'stopping',
      'stopped',
    ])
    // The user exists: no other token is made.
    const again = await start(...flags)
    expect(again.ready.catalog.tokens).toEqual({})
    await again.stop()
  })
})
