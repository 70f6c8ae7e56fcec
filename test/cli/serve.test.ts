import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { anyPort, folder, killAll, plinth, removeFolders, run, start } from './server.ts'

afterEach(killAll)
afterAll(removeFolders)

const json = async (url: string, init?: RequestInit): Promise<Record<string, unknown>> => {
  const answer = await fetch(url, init)
  return (await answer.json()) as Record<string, unknown>
}
/** A box that a search finds, as far as a test looks at it. */
interface Box {
  readonly created_at: string
  readonly description_markdown: string
}
const load = (records: unknown): string => {
  const path = join(folder(), 'load.json')
  writeFileSync(path, typeof records === 'string' ? records : JSON.stringify(records))
  return path
}

describe('plinth serve, ready', () => {
  it('prints all addresses, with a line for the client that a shell accepts', async () => {
    const token = "it's$HOME"
    const { child, output, exited } = plinth(['serve', ...anyPort, '--root-token', token])
    while (!output().stdout.includes('Stop with Ctrl-C')) await once(child.stdout, 'data')
    child.kill('SIGINT')
    expect(await exited).toBe(0)
    const line = /^ +(export SECRETS_ADDR=http:.*)$/m.exec(output().stdout)?.[1]
    expect(execFileSync('bash', ['-c', `${line}; printf %s "$SECRETS_TOKEN"`], { encoding: 'utf8' })).toBe(
      token,
    )
  })

  it('prints one line that holds every key, once all listeners answer', async () => {
    const { ready, output, stop } = await start('--catalog-user', 'ada:correct horse')
    expect(output().stdout.split('\n')).toHaveLength(2)
    expect(Object.keys(ready)).toEqual([
      'ready',
      'secrets',
      'scheduler',
      'gateway',
      'catalog',
      'registry',
      'console',
    ])
    for (const { url } of [ready.secrets, ready.scheduler, ready.gateway, ready.catalog, ready.registry])
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ready.secrets.rootToken).toMatch(/^s\.[A-Za-z0-9]{24,}$/)
    expect(ready.secrets.unsealKeys).toHaveLength(1)
    expect(ready.scheduler.managementToken).toBeNull()
    expect(Object.keys(ready.catalog.tokens)).toEqual(['ada'])
    expect(ready.registry.modulesUrl).toBe(`${ready.registry.url}/v1/modules/`)
    expect(ready.registry.modulesV2Url).toBe(`${ready.registry.url}/v2/modules/`)
    expect((await fetch(`${ready.gateway.url}/health`)).status).toBe(200)
    expect(await stop()).toBe(0)
  })

  it('starts with a believable cluster, boxes, modules and secrets under --demo', async () => {
    const { ready, stop } = await start('--demo', '--root-token', 'root')
    const jobsOf = (list: string) => json(`${ready.scheduler.url}/v1/${list}?namespace=*`)
    expect(await jobsOf('nodes')).toHaveLength(200)
    expect(await jobsOf('jobs')).toHaveLength(41)
    expect(
      await json(`${ready.scheduler.url}/v1/evaluations?namespace=*&filter=Status==blocked`),
    ).toMatchObject([{ JobID: 'train-forecast' }])
    expect(
      await json(`${ready.scheduler.url}/v1/deployments?namespace=*&filter=Status==failed`),
    ).toMatchObject([{ JobID: 'pricing' }])
    expect(await json(`${ready.gateway.url}/health?worker_info=1`)).toMatchObject({
      worker_process_info: { state: 'active' },
    })

    const { boxes } = (await json(`${ready.catalog.url}/api/v2/search?limit=100`)) as {
      boxes: readonly Box[]
    }
    expect(boxes).toHaveLength(40)
    expect(new Set(boxes.map(({ created_at }) => created_at.slice(0, 10))).size).toBeGreaterThan(10)
    expect(boxes.filter(({ description_markdown }) => !description_markdown.startsWith('# '))).toEqual([])
    const { modules } = await json(`${ready.registry.modulesUrl}?limit=100`)
    expect(modules).toHaveLength(40)

    const asRoot = { headers: { 'X-Secrets-Token': 'root' } }
    const secrets = (path: string) => json(`${ready.secrets.url}/v1/${path}`, asRoot)
    expect(await secrets('secret/metadata/demo/payments')).toMatchObject({ data: { current_version: 3 } })
    expect(await secrets('auth/userpass/users?list=true')).toMatchObject({ data: { keys: ['ada', 'grace'] } })
    expect(await secrets('sys/policies/acl?list=true')).toMatchObject({
      data: { keys: expect.arrayContaining(['demo-reader', 'demo-writer', 'oncall']) },
    })
    expect(await stop('SIGINT')).toBe(0)
  })

  it('supports other product words on request', async () => {
    const { ready, stop } = await start(
      '--words',
      'Secrets=Acme',
      '--words',
      'Scheduler=Orbit',
      '--root-token',
      'root',
    )
    const answer = await fetch(`${ready.secrets.url}/v1/auth/token/lookup-self`, {
      headers: { 'X-Acme-Token': 'root' },
    })
    expect(answer.status).toBe(200)
    const pools = await fetch(`${ready.scheduler.url}/v1/node/pools`)
    expect([pools.headers.get('X-Orbit-Index'), pools.headers.get('X-Scheduler-Index')]).toEqual(['1', '1'])
    await stop()
  })

  it('enforces access control with a management token that it prints', async () => {
    const { ready, stop } = await start('--acl')
    const token = ready.scheduler.managementToken ?? ''
    expect(token).toMatch(/^[0-9a-f-]{36}$/)
    const create = (headers: Record<string, string>) =>
      fetch(`${ready.scheduler.url}/v1/node/pool`, { method: 'PUT', headers, body: '{"Name":"gpu"}' })
    expect((await create({})).status).toBe(403)
    expect((await create({ 'X-Scheduler-Token': token })).status).toBe(200)
    await stop()
  })

  it('starts uninitialised under --sealed, to be initialised and unsealed over HTTP', async () => {
    const { ready, stop } = await start('--sealed')
    expect([ready.secrets.rootToken, ready.secrets.unsealKeys]).toEqual([null, []])
    const init = await json(`${ready.secrets.url}/v1/sys/init`, {
      method: 'PUT',
      body: '{"secret_shares":3,"secret_threshold":2}',
    })
    const keys = init['keys'] as string[]
    expect((await fetch(`${ready.secrets.url}/v1/secret/data/x`)).status).toBe(503)
    for (const key of keys.slice(0, 2))
      await fetch(`${ready.secrets.url}/v1/sys/unseal`, { method: 'PUT', body: JSON.stringify({ key }) })
    expect(await json(`${ready.secrets.url}/v1/sys/seal-status`)).toMatchObject({ sealed: false })
    await stop()
  })
})

describe('plinth serve, stopping', () => {
  it('reports unhealthy immediately, keeps serving for the grace period, then answers long polls and exits with 0', async () => {
    const { ready, child, exited } = await start('--grace', '1s')
    const poll = fetch(`${ready.scheduler.url}/v1/node/pools?index=1&wait=5m`)
    await fetch(`${ready.scheduler.url}/v1/node/pools`)
    child.kill('SIGTERM')
    let health = 200
    for (let attempt = 0; attempt < 100 && health === 200; attempt += 1)
      health = (await fetch(`${ready.gateway.url}/health`)).status
    expect(health).toBe(503)
    expect((await fetch(`${ready.registry.modulesUrl}`)).status).toBe(200)
    const answer = await poll
    expect([answer.status, answer.headers.get('X-Scheduler-Index')]).toEqual([200, '1'])
    expect(await exited).toBe(0)
  })

  it('exits immediately on a second signal', async () => {
    const { ready, child, exited } = await start('--grace', '1000h')
    child.kill('SIGTERM')
    let health = 200
    for (let attempt = 0; attempt < 100 && health === 200; attempt += 1)
      health = (await fetch(`${ready.gateway.url}/health`)).status
    child.kill('SIGTERM')
    expect(await exited).toBe(1)
  })
})

describe('plinth serve, keeping data in a directory', () => {
  it('finds the same secrets, token and cluster after a restart', async () => {
    const data = folder()
    const first = await start('--data', data)
    const headers = { 'X-Secrets-Token': first.ready.secrets.rootToken ?? '' }
    await fetch(`${first.ready.secrets.url}/v1/secret/data/app`, {
      method: 'PUT',
      headers,
      body: '{"data":{"a":"kept"}}',
    })
    await fetch(`${first.ready.scheduler.url}/v1/node/pool`, { method: 'PUT', body: '{"Name":"gpu"}' })
    expect(await first.stop()).toBe(0)
    expect(statSync(join(data, 'dev-keys.json')).mode & 0o777).toBe(0o600)

    const second = await start('--data', data)
    expect(second.ready.secrets).toMatchObject({
      rootToken: headers['X-Secrets-Token'],
      unsealKeys: first.ready.secrets.unsealKeys,
    })
    expect(await json(`${second.ready.secrets.url}/v1/secret/data/app`, { headers })).toMatchObject({
      data: { data: { a: 'kept' } },
    })
    expect((await fetch(`${second.ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(200)
    await second.stop()

    const other = await run(['serve', '--json', '--data', data, '--root-token', 'another'])
    expect([other.code, other.stdout]).toEqual([1, ''])
    expect(other.stderr).toContain('--root-token differs')
  })
})

describe('plinth serve with an invalid option', () => {
  it.each([
    [['--nonsense'], 2, 'there is no flag --nonsense. See plinth serve --help.'],
    [['--secret-port', '1'], 2, 'did you mean --secrets-port?'],
    [['--token', 'x'], 2, 'did you mean --management-token, --root-token, --registry-token?'],
    [['--load', 'a', '--load', 'b'], 2, '--load is given twice'],
    [['--secrets-port', '99999'], 2, '--secrets-port takes a port from 0 to 65535, not "99999"'],
    [['--words', 'Vaults=X'], 2, '--words takes WORD=ALIAS with WORD one of'],
    [['--grace', '-1s'], 2, '--grace needs a value: --grace DURATION, or with = if it begins with a dash'],
    [['--heartbeat-ttl', '10ms'], 2, '--heartbeat-ttl takes a duration of at least 1s'],
    [['--heartbeat-ttl', '30'], 2, '--heartbeat-ttl takes a duration of at least 1s, such as 30s'],
    [['--max-body', 'much'], 2, '--max-body takes a size such as 8MiB, not "much"'],
    [['--max-body', '0'], 2, '--max-body takes a size such as 8MiB, not "0"'],
    [['--grace', 'soon'], 2, '--grace takes a duration such as 3s'],
    [['--management-token', 'me'], 2, '--management-token takes a UUID'],
    [['--catalog-user', 'ada'], 2, '--catalog-user takes NAME:PASSWORD'],
    [['--catalog-user', 'ada:x', '--catalog-user', 'ada:y'], 2, '--catalog-user ada is given twice'],
    [['--secrets-port'], 2, '--secrets-port needs a value: --secrets-port PORT\n'],
    [['--sceduler-prot', '1'], 2, 'did you mean --scheduler-port?'],
    [['--prot', '1'], 2, 'did you mean --secrets-port, --scheduler-port,'],
    [['./data'], 2, 'unexpected argument "./data". See plinth serve --help.'],
    [['--blobs', 'blobs'], 2, '--blobs needs durable data'],
    [['--dev-keys', 'keys.json'], 2, '--dev-keys needs durable data'],
    [['--data', ''], 2, '--data takes memory, a directory, sqlite:FILE, postgres://… or etcd://…, not ""'],
    [['--data', 'mysql://x'], 2, '--data takes memory, a directory, sqlite:FILE, postgres://'],
    [['--load', '/nope.json'], 1, 'cannot read the records /nope.json'],
    [['--config', '/nope.hcl'], 1, 'cannot read the configuration /nope.hcl'],
    [['--host', '192.0.2.1', '--secrets-port', '0'], 1, '192.0.2.1 is not an address of this machine'],
  ])('%j: says so in one line and exits', async (args, code, text) => {
    const result = await run(['serve', '--json', ...args])
    expect([result.code, result.stdout]).toEqual([code, ''])
    expect(result.stderr).toContain(text)
    expect(result.stderr).not.toContain('    at ')
  })

  it('names the service whose port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const result = await run(['serve', '--json', '--secrets-port', '0', '--scheduler-port', String(port)])
    server.close()
    expect(result.stderr).toContain(`scheduler: port ${port} on 127.0.0.1 is already in use`)
    expect(result.code).toBe(1)
  })

  it.each([
    ['a file that is not JSON', '{"scheduler":\n  nodes', 'is not valid JSON: line 2, column 3: expected'],
    ['an unknown section', { schedulers: {} }, 'schedulers: there is no such field; did you mean scheduler?'],
    [
      'a bad module source',
      {
        registry: {
          modules: [
            { namespace: 'a', name: 'b', provider: 'c', versions: [] },
            { namespace: 'a', name: 'd', provider: 'c', versions: [{ version: '1.0.0', source: '' }] },
          ],
        },
      },
      'registry.modules[1].versions[0].source',
    ],
    [
      'a bad policy',
      { secrets: { policies: { app: 'path "x" { capabilities = ["fly"] }' } } },
      'secrets.policies["app"]',
    ],
    ['a secret that is no object', { secrets: { kv: { 'secret/a': 'x' } } }, 'secrets.kv["secret/a"]'],
    ['a secret without a mount', { secrets: { kv: { app: { a: 1 } } } }, 'secrets.kv["app"]'],
    [
      'a bad job',
      { scheduler: { jobs: [{ ID: 'ok' }, { ID: 'web', Priority: 'high' }] } },
      'scheduler.jobs[1].Priority',
    ],
  ])('names the bad record of %s', async (_what, records, text) => {
    const result = await run(['serve', '--json', '--load', load(records)])
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toContain(text)
  })

  it('never repeats what it could not read of a load file', async () => {
    const result = await run(['serve', '--json', '--load', load('{"secrets": {"kv": hunter2}}')])
    expect([result.code, result.stderr]).toEqual([1, expect.not.stringContaining('hunter2')])
  })

  it('loads every kind of record', async () => {
    const rules = 'path "secret/data/app/*" { capabilities = ["read"] }'
    const { ready, stop } = await start(
      '--root-token',
      'root',
      '--load',
      load({
        scheduler: {
          pools: [{ Name: 'gpu' }],
          nodes: [{ ID: 'n1', NodePool: 'gpu' }],
          jobs: [{ ID: 'web' }],
        },
        registry: {
          modules: [
            { namespace: 'a', name: 'b', provider: 'c', versions: [{ version: '1.0.0', source: './b' }] },
          ],
        },
        catalog: { boxes: [{ username: 'ada', name: 'tiny', private: false, versions: [] }] },
        secrets: { kv: { 'secret/app/db': { user: 'ada' } }, policies: { app: rules } },
      }),
    )
    expect(await json(`${ready.scheduler.url}/v1/node/pool/gpu/nodes`)).toMatchObject([{ ID: 'n1' }])
    expect(await json(`${ready.scheduler.url}/v1/job/web`)).toMatchObject({ ID: 'web', Status: 'pending' })
    expect(await json(`${ready.registry.modulesUrl}a/b/c`)).toMatchObject({ version: '1.0.0' })
    expect(await json(`${ready.catalog.url}/api/v2/box/ada/tiny`)).toMatchObject({ tag: 'ada/tiny' })
    const headers = { 'X-Secrets-Token': 'root' }
    expect(await json(`${ready.secrets.url}/v1/secret/data/app/db`, { headers })).toMatchObject({
      data: { data: { user: 'ada' } },
    })
    expect(await json(`${ready.secrets.url}/v1/sys/policies/acl/app`, { headers })).toMatchObject({
      data: { policy: rules },
    })
    await stop()
  })

  it('loads nothing at all when one record is bad', async () => {
    const data = folder()
    const records = { scheduler: { pools: [{ Name: 'gpu' }] }, registry: { modules: [{ namespace: '' }] } }
    expect((await run(['serve', '--json', '--data', data, '--load', load(records)])).code).toBe(1)
    const { ready, stop } = await start('--data', data)
    expect((await fetch(`${ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(404)
    await stop()
  })

  it('loads nothing at all when a section alone has a bad record', async () => {
    const data = folder()
    const records = { scheduler: { pools: [{ Name: 'gpu' }], jobs: [{ ID: 'web', Priority: 'high' }] } }
    expect((await run(['serve', '--json', '--data', data, '--load', load(records)])).code).toBe(1)
    const { ready, stop } = await start('--data', data)
    expect((await fetch(`${ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(404)
    await stop()
  })

  it('loads nothing at all when one of the services has data', async () => {
    const data = folder()
    const boxes = [{ username: 'ada', name: 'tiny', versions: [] }]
    await (await start('--data', data, '--load', load({ catalog: { boxes } }))).stop()
    const more = { scheduler: { pools: [{ Name: 'gpu' }] }, catalog: { boxes } }
    const refused = await run(['serve', '--json', '--data', data, '--load', load(more)])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already has boxes')])
    const { ready, stop } = await start('--data', data)
    expect((await fetch(`${ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(404)
    await stop()
  })

  it('loads nothing at all when the secrets service starts sealed', async () => {
    const data = folder()
    const records = { scheduler: { pools: [{ Name: 'gpu' }] }, secrets: { kv: { 'secret/a': { b: 1 } } } }
    const refused = await run(['serve', '--json', '--sealed', '--data', data, '--load', load(records)])
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('takes no records')])
    const { ready, stop } = await start('--sealed', '--data', data)
    expect((await fetch(`${ready.scheduler.url}/v1/node/pool/gpu`)).status).toBe(404)
    await stop()
  })

  it('says on standard error how far a load has come, and nothing with --json', async () => {
    const file = load({ registry: { modules: [{}] } })
    const reported = await run(['serve', ...anyPort, '--load', file])
    expect([reported.code, reported.stdout]).toEqual([1, ''])
    expect(reported.stderr).toMatch(/^\S+: [1-9]0%$/m)
    expect(reported.stderr).toContain('registry.modules[0].namespace')
    expect((await run(['serve', '--json', '--load', file])).stderr).toMatch(/^plinth: .*\n$/)
  })

  it('refuses to load over data that exists', async () => {
    const data = folder()
    const records = load({ scheduler: { pools: [{ Name: 'gpu' }] } })
    expect(await (await start('--data', data, '--load', records)).stop()).toBe(0)
    const again = await run(['serve', '--json', '--data', data, '--load', records])
    expect([again.code, again.stdout]).toEqual([1, ''])
    expect(again.stderr).toMatch(/exist|empty|already/)
  })
})

describe('plinth serve, with a configuration file', () => {
  const config = (text: string): string => {
    const path = join(folder(), 'plinth.hcl')
    writeFileSync(path, text)
    return path
  }

  it('refuses bodies over --max-body where the file sets no limit for a listener', async () => {
    const file = config(
      'listener "tcp" {\n  purpose = "scheduler"\n  tls_disable = true\n  max_request_size = 1000\n}',
    )
    const { ready, stop } = await start('--max-body', '1kB', '--config', file, '--only', 'secrets,scheduler')
    const post = async (url: string, bytes: number) => {
      const headers = { 'X-Secrets-Token': ready.secrets.rootToken ?? '' }
      const body = JSON.stringify({ data: { a: 'x'.repeat(bytes) } })
      return (await fetch(url, { method: 'POST', headers, body })).status
    }
    const secret = `${ready.secrets.url}/v1/secret/data/a`
    expect([await post(secret, 900), await post(secret, 2_000)]).toEqual([200, 413])
    const jobs = `${ready.scheduler.url}/v1/jobs`
    expect([await post(jobs, 900), await post(jobs, 2_000)]).toEqual([400, 413])
    await stop()
  })

  it('listens as the file says, with the headers and rules of each listener', async () => {
    const { ready, stop } = await start(
      '--config',
      config(`
        listener "tcp" {
          purpose                = "secrets"
          tls_disable            = true
          require_request_header = true
          max_request_size       = 200
          custom_response_headers {
            "default" = { "X-Seen" = ["default"] }
            "3xx"     = { "X-Seen" = ["moved"] }
            "200"     = { "X-Seen" = ["exact"] }
          }
        }
        listener "tcp" {
          purpose     = "ops"
          tls_disable = true
        }
        worker {}
      `),
    )
    const seen = async (path: string) => {
      const answer = await fetch(`${ready.secrets.url}${path}`, {
        redirect: 'manual',
        headers: { 'X-Secrets-Request': 'true' },
      })
      return [answer.status, answer.headers.get('x-seen')]
    }
    expect(await seen('/')).toEqual([307, 'moved'])
    expect(await seen('/ui/')).toEqual([200, 'exact'])
    expect(await seen('/v1/sys/seal-status')).toEqual([200, 'exact'])
    expect((await fetch(`${ready.secrets.url}/v1/sys/seal-status`)).status).toBe(412)
    expect(await json(`${ready.gateway.url}/health?worker_info=1`)).toEqual({
      worker_process_info: { state: 'active', active_session_count: 0, upstream_connection_state: 'READY' },
    })
    await stop()
  })

  it('believes the proxies that a listener names: a token bound to a network follows the client behind them', async () => {
    const { ready, stop } = await start(
      '--only=secrets,gateway',
      '--config',
      config(`
        listener "tcp" {
          purpose                               = "secrets"
          tls_disable                           = true
          x_forwarded_for_authorized_addrs      = "127.0.0.1, ::1"
          x_forwarded_for_hop_skips             = "1"
          x_forwarded_for_reject_not_authorized = "true"
        }
        listener "tcp" {
          purpose                            = "ops"
          tls_disable                        = true
          x_forwarded_for_authorized_addrs   = ["10.0.0.0/8"]
          x_forwarded_for_reject_not_present = false
        }
        worker {}
      `),
    )
    const ask = (path: string, token: string | null, chain: string, init?: RequestInit) =>
      fetch(`${ready.secrets.url}/v1/${path}`, {
        ...init,
        headers: { 'X-Vault-Token': token ?? '', 'X-Forwarded-For': chain },
      })
    const role = await ask('auth/token/roles/bound', ready.secrets.rootToken, '192.0.2.1, 10.0.0.1', {
      method: 'POST',
      body: JSON.stringify({ token_bound_cidrs: ['192.0.2.0/24'] }),
    })
    expect(role.status).toBe(204)
    const bound = await ask('auth/token/create/bound', ready.secrets.rootToken, '192.0.2.1, 10.0.0.1', {
      method: 'POST',
      body: JSON.stringify({ policies: ['default'] }),
    })
    const { auth } = (await bound.json()) as { auth: { client_token: string } }
    const looked = async (chain: string) =>
      (await ask('auth/token/lookup-self', auth.client_token, chain)).status
    expect(await looked('203.0.113.1, 192.0.2.9, 10.0.0.1')).toBe(200)
    expect(await looked('192.0.2.9, 203.0.113.1, 10.0.0.1')).toBe(403)
    expect(await looked('10.0.0.1')).toBe(400)
    const without = await fetch(`${ready.secrets.url}/v1/sys/seal-status`)
    expect([without.status, await without.json()]).toEqual([
      400,
      { errors: ['missing X-Forwarded-For header, which this listener requires'] },
    ])
    const health = (headers: Record<string, string>) => fetch(`${ready.gateway.url}/health`, { headers })
    expect((await health({})).status).toBe(200)
    expect((await health({ 'X-Forwarded-For': '192.0.2.1' })).status).toBe(400)
    await stop()
  })

  it.each([
    [
      'listener "tcp" {\n  purpose = "secrets"\n  tls_disable = true\n  x_forwarded_for_hop_skips = 1\n}',
      'line 4: listener[0].x_forwarded_for_hop_skips: name the proxies as well',
    ],
    [
      'listener "tcp" {\n  purpose = "secrets"\n  tls_disable = true\n  x_forwarded_for_authorized_addrs = ["proxy"]\n}',
      'line 4: listener[0].x_forwarded_for_authorized_addrs: "proxy" is neither an address nor a network',
    ],
    [
      'listener "tcp" {\n  purpose = "secrets"\n  tls_disable = true\n  colour = "red"\n}',
      'line 4: listener[0].colour: there is no such setting',
    ],
    [
      'listener "tcp" {\n  tls_disable = true\n}',
      'line 1: listener[0].purpose: a listener has exactly one purpose',
    ],
    ['listener "tcp" {\n  adress = "127.0.0.1:0"\n}', 'no such setting; did you mean address?'],
    [
      'listener "tcp" {\n  cors {\n    allowed_origin = []\n  }\n}',
      'line 3: listener[0].cors.allowed_origin: there is no such setting; did you mean allowed_origins?',
    ],
    [
      'listener "tcp" {\n  purpose = "secrets"\n  max_request_size = "1MB"\n}',
      'line 3: listener[0].max_request_size: expected a number of bytes',
    ],
    [
      'listener "tcp" {\n  purpose = "secrets"\n  tls_cert_file = "/nope"\n  tls_key_file = "/nope"\n}',
      'line 3: listener[0].tls_cert_file: cannot read the certificate /nope: there is no such file',
    ],
    [
      'listener "tcp" {\n  purpose = "secrets"\n  tls_cert_file = "package.json"\n  tls_key_file = "package.json"\n}',
      'line 3: listener[0].tls_cert_file: package.json and package.json are not a certificate and its key',
    ],
    [
      'listener "tcp" {\n  purpose = "moon"\n}',
      'line 2: listener[0].purpose: Unknown listener purpose "moon"',
    ],
    [
      'listener "tcp" {\n  purpose = "ops"\n  tls_disable = true\n}\ncontroller {}',
      'Config activates controller but no listener with "api" purpose found',
    ],
    ['listener "tcp" {\n  purpose = "secrets"\n}', 'it has no certificate file'],
    ['listener "tcp" {\n  purpose =\n}', 'plinth.hcl, line 3, column 1: expected'],
  ])('names line and key of what is wrong: %j', async (text, problem) => {
    const result = await run(['serve', '--json', '--config', config(text)])
    expect([result.code, result.stdout]).toEqual([1, ''])
    expect(result.stderr).toContain(problem)
  })
})
