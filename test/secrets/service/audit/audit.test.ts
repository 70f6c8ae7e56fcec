import { describe, expect, it, vi } from 'vitest'
import type { AuditDevice } from '../../../../src/secrets/index.ts'
import { asking, client } from '../client.ts'

const device = (path = 'file/', more: Partial<AuditDevice> = {}) => {
  const lines: string[] = []
  let fails = false
  return {
    lines,
    entries: () => lines.map((line) => JSON.parse(line)),
    fail: (whether: boolean) => {
      fails = whether
    },
    device: {
      path,
      sink: {
        write: async (line: string) => {
          if (fails) throw new Error('no space left on device')
          lines.push(line)
        },
      },
      ...more,
    } satisfies AuditDevice,
  }
}
const setup = async (more: Partial<AuditDevice> = {}) => {
  const log = device('file/', more)
  const made = await client({ audit: [log.device] })
  const hashOf = async (input: string) =>
    (await made.ask('POST', '/v1/sys/audit-hash/file', { input })).body.data.hash as string
  return { ...made, ...log, hashOf }
}
const secret = /^hmac-sha256:[0-9a-f]{64}$/

describe('an audit device', () => {
  it('has a line for each request and each answer, without any of their values', async () => {
    const { ask, entries, lines } = await setup()
    await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter2', port: 5432, on: true } })
    await ask('GET', '/v1/secret/data/app')
    expect(lines.every((line) => /^\{.*\}\n$/.test(line))).toBe(true)
    expect(lines.join('')).not.toMatch(/hunter2|"root"[^,\]}]*s\./)
    const [write, , read, answer] = entries()
    expect(write).toMatchObject({
      time: '2026-01-01T00:00:00Z',
      type: 'request',
      auth: {
        client_token: expect.stringMatching(secret),
        accessor: expect.stringMatching(secret),
        display_name: 'root',
        policies: ['root'],
        policy_results: { allowed: true },
        token_type: 'service',
      },
      request: {
        operation: 'create',
        mount_point: 'secret/',
        mount_type: 'kv',
        namespace: { id: 'root' },
        path: 'secret/data/app',
        data: { data: { password: expect.stringMatching(secret), port: 5432, on: true } },
      },
      error: '',
    })
    expect(read.request).toMatchObject({ operation: 'read', path: 'secret/data/app' })
    expect(answer).toMatchObject({
      type: 'response',
      request: { id: read.request.id },
      response: { mount_type: 'kv', data: { data: { port: 5432 }, metadata: { version: 1 } } },
    })
    expect(answer.response.data.data.password).toBe(write.request.data.data.password)
  })
  it('is searched for a known value by its hash', async () => {
    const { ask, entries, hashOf } = await setup()
    await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter2' } })
    expect(await hashOf('hunter2')).toBe(entries()[0].request.data.data.password)
    expect(await hashOf('root')).toBe(entries()[0].auth.client_token)
    expect((await ask('POST', '/v1/sys/audit-hash/none', { input: 'x' })).status).toBe(400)
    expect((await ask('POST', '/v1/sys/audit-hash/file', {})).status).toBe(400)
  })
  it('hashes with the key of its realm: another service has other hashes', async () => {
    const [one, other] = [await setup(), await setup()]
    expect(await one.hashOf('x')).not.toBe(await other.hashOf('x'))
  })
  it('records refused requests with their callers', async () => {
    const { service, entries } = await setup()
    const stranger = asking(service, 's.unknown')
    await stranger('GET', '/v1/secret/data/app')
    const [request, answer] = entries()
    expect(request).toMatchObject({
      auth: {},
      request: { path: 'secret/data/app', client_token: expect.stringMatching(secret) },
      error: 'permission denied',
    })
    expect(answer).toMatchObject({ type: 'response', error: 'permission denied' })
    await service.close()
  })
  it('names the policies that granted each request, and the token as it is', async () => {
    const { ask, service, entries } = await setup()
    for (const [name, path] of [
      ['one', 'secret/data/one'],
      ['two', 'secret/data/two'],
    ])
      await ask('PUT', `/v1/sys/policies/acl/${name}`, {
        policy: `path "${path}" { capabilities = ["read"] }`,
      })
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['one', 'two'], ttl: '1h' })
    const { client_token: token, accessor } = body.auth
    const caller = asking(service, token)
    const asked = async (path: string) => {
      const before = entries().length
      await caller('GET', path)
      return entries()[before].auth
    }
    const first = await asked('/v1/secret/data/one')
    expect(first.policy_results).toEqual({
      allowed: true,
      granting_policies: [{ name: 'one', type: 'acl' }],
    })
    expect((await asked('/v1/secret/data/two')).policy_results.granting_policies).toEqual([
      { name: 'two', type: 'acl' },
    ])
    expect((await asked('/v1/secret/data/three')).policy_results).toEqual({ allowed: false })
    expect(await asked('/v1/secret/data/one')).toEqual(first)
    await ask('POST', '/v1/auth/token/revoke-accessor', { accessor })
    expect(await asked('/v1/secret/data/one')).toEqual({})
  })
  it('has the same line for a secret that is read again, and another one once it has changed', async () => {
    const { ask, entries, hashOf } = await setup()
    const read = async () => {
      await ask('GET', '/v1/secret/data/app')
      return entries().at(-1).response.data
    }
    await ask('POST', '/v1/secret/data/app', {
      data: { password: 'hunter2', list: ['a', 1, null, { b: 'c' }] },
    })
    const first = await read()
    expect(first.data).toEqual({
      password: await hashOf('hunter2'),
      list: [await hashOf('a'), 1, null, { b: await hashOf('c') }],
    })
    expect(await read()).toEqual(first)
    await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter3' } })
    expect((await read()).data).toEqual({ password: await hashOf('hunter3') })
  })
  it('has new tokens as hashes, and what is no secret about them', async () => {
    const { ask, entries, hashOf } = await setup()
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['default'] })
    const { auth } = entries()[1].response
    expect(auth).toMatchObject({ policies: ['default'], client_token: await hashOf(body.auth.client_token) })
    expect(auth.accessor).toBe(await hashOf(body.auth.accessor))
  })
  it('has logins without their passwords', async () => {
    const { ask, service, lines } = await setup()
    await ask('POST', '/v1/sys/auth/userpass', { type: 'userpass' })
    await ask('POST', '/v1/auth/userpass/users/ada', { password: 'correct horse' })
    const login = { password: 'correct horse' }
    const { status } = await asking(service, undefined)('POST', '/v1/auth/userpass/login/ada', login)
    expect(status).toBe(200)
    expect(lines.join('')).not.toMatch('correct horse')
    expect(lines.join('')).toMatch('"path":"auth/userpass/login/ada"')
  })
  it('may have accessors in clear, and of lists no more than how long they are', async () => {
    const { ask, entries } = await setup({ hmacAccessor: false, elideListResponses: true })
    await ask('POST', '/v1/secret/data/a', { data: {} })
    await ask('LIST', '/v1/secret/metadata')
    const answer = entries()[3]
    expect(answer.response.data).toEqual({ keys: 1 })
    expect(answer.auth.accessor).not.toMatch(/^hmac/)
  })
  it('is listed, and neither made nor taken away over HTTP', async () => {
    const { ask } = await setup({ options: { file_path: '/var/log/audit.log' } })
    expect((await ask('GET', '/v1/sys/audit')).body.data).toEqual({
      'file/': {
        type: 'file',
        description: '',
        local: false,
        path: 'file/',
        options: { file_path: '/var/log/audit.log' },
      },
    })
    expect((await ask('PUT', '/v1/sys/audit/x', { type: 'file' })).status).toBe(400)
    expect((await ask('DELETE', '/v1/sys/audit/file')).status).toBe(400)
    expect((await ask('DELETE', '/v1/sys/audit/none')).status).toBe(204)
  })
  it('does not have what is asked about the service itself, nor anything while it is sealed', async () => {
    const { ask, lines, entries } = await setup()
    await ask('GET', '/v1/sys/health')
    await ask('GET', '/v1/sys/seal-status')
    expect(lines).toEqual([])
    await ask('PUT', '/v1/sys/seal')
    expect(entries().map(({ type }) => type)).toEqual(['request', 'response'])
    await ask('GET', '/v1/secret/data/app')
    expect(lines).toHaveLength(2)
  })
})

describe('audit devices that cannot be written', () => {
  it('keep requests from changing anything, and answers from being given', async () => {
    const { ask, fail, errors, service } = await setup()
    fail(true)
    const write = await ask('POST', '/v1/secret/data/app', { data: { a: 1 } })
    expect(write).toMatchObject({ status: 500, body: { errors: [expect.stringMatching(/failed to audit/)] } })
    expect(await service.kv().read('app')).toMatchObject({ value: { kind: 'absent' } })
    fail(false)
    await ask('POST', '/v1/secret/data/app', { data: { a: 'hidden' } })
    fail(true)
    const read = await ask('GET', '/v1/secret/data/app')
    expect(read.status).toBe(500)
    expect(read.text).not.toMatch('hidden')
    expect(String(errors[0])).toMatch('the audit device file/ could not be written')
  })
  it('have failed when they do not answer: requests end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const never = { path: 'slow/', sink: { write: () => new Promise<void>(() => {}) } }
      const { ask, errors } = await client({ audit: [never] })
      let status = 0
      const asked = ask('GET', '/v1/secret/data/app').then((answer) => {
        status = answer.status
      })
      while (status === 0) {
        await new Promise(setImmediate)
        vi.advanceTimersByTime(30_000)
      }
      await asked
      expect(status).toBe(500)
      expect(String(errors[0])).toMatch(
        'the audit device slow/ could not be written: the line was not written',
      )
    } finally {
      vi.useRealTimers()
    }
  })
  it('keep nothing back as long as one of them can be', async () => {
    const [one, other] = [device('one'), device('other/')]
    const { ask } = await client({ audit: [one.device, other.device] })
    one.fail(true)
    expect((await ask('POST', '/v1/secret/data/app', { data: {} })).status).toBe(200)
    expect([one.lines.length, other.lines.length]).toEqual([0, 2])
    expect(Object.keys((await ask('GET', '/v1/sys/audit')).body.data)).toEqual(['one/', 'other/'])
  })
})

it('data that is nested without end is audited all the same', async () => {
  const { ask, lines } = await setup()
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
  const { status } = await ask('POST', '/v1/secret/data/app', `{"data":${deep}}`)
  expect(status).toBe(400)
  expect(lines).toHaveLength(2)
})
