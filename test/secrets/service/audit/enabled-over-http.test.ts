import { describe, expect, it } from 'vitest'
import { type AuditTarget, createSecrets } from '../../../../src/secrets/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { asking, client } from '../client.ts'

/** A program that opens every target in memory, except those that it is told to refuse. */
const opener = () => {
  const logs = new Map<string, string[]>()
  const broken = new Map<string, string>()
  const closed: string[] = []
  return {
    broken,
    closed,
    lines: (at: string) => logs.get(at) ?? [],
    openAuditSink: async (target: AuditTarget) => {
      const at = target.type === 'file' ? target.path : target.address
      const reason = broken.get(at)
      if (reason !== undefined) throw new Error(reason)
      const lines = logs.get(at) ?? []
      logs.set(at, lines)
      return {
        write: async (line: string) => {
          const fault = broken.get(at)
          if (fault !== undefined) throw new Error(fault)
          lines.push(line)
        },
        close: async () => {
          closed.push(at)
        },
      }
    },
  }
}

const setup = async () => {
  const program = opener()
  return { ...(await client({ openAuditSink: program.openAuditSink })), ...program }
}
const file = (path: string, options = {}) => ({ type: 'file', options: { file_path: path, ...options } })

describe('an audit device that is enabled over HTTP', () => {
  it('gets every request from then on, until it is disabled', async () => {
    const { ask, lines, closed } = await setup()
    const device = { ...file('/var/log/audit'), description: 'all of it' }
    expect((await ask('PUT', '/v1/sys/audit/main', device)).status).toBe(204)
    expect((await ask('POST', '/v1/secret/data/app', { data: { password: 'hunter2' } })).status).toBe(200)
    const entries = lines('/var/log/audit').map((line) => JSON.parse(line))
    expect(entries.map(({ type, request }) => [type, request.path])).toEqual([
      ['request', 'secret/data/app'],
      ['response', 'secret/data/app'],
    ])
    const hash = (await ask('PUT', '/v1/sys/audit-hash/main', { input: 'hunter2' })).body.data.hash
    expect(entries[0].request.data.data.password).toBe(hash)
    const listed = {
      type: 'file',
      description: 'all of it',
      local: false,
      path: 'main/',
      options: { file_path: '/var/log/audit' },
    }
    expect((await ask('GET', '/v1/sys/audit')).body.data).toEqual({ 'main/': listed })
    expect((await ask('GET', '/v1/sys/audit/main')).body.data).toEqual(listed)
    const before = lines('/var/log/audit').length
    expect((await ask('DELETE', '/v1/sys/audit/main')).status).toBe(204)
    expect((await ask('GET', '/v1/secret/data/app')).status).toBe(200)
    // The lines of the request that disabled it.
    expect(lines('/var/log/audit').slice(before)).toHaveLength(2)
    await expect.poll(() => closed).toEqual(['/var/log/audit', '/var/log/audit'])
    expect((await ask('DELETE', '/v1/sys/audit/main')).status).toBe(204)
    expect((await ask('GET', '/v1/sys/audit/main')).status).toBe(404)
  })

  it('follows its options', async () => {
    const { ask, lines } = await setup()
    await ask(
      'PUT',
      '/v1/sys/audit/plain',
      file('/plain', { hmac_accessor: false, elide_list_responses: 'true' }),
    )
    await ask('POST', '/v1/secret/data/app', { data: {} })
    await ask('LIST', '/v1/secret/metadata')
    const entries = lines('/plain').map((line) => JSON.parse(line))
    expect(entries[0].auth.accessor).not.toMatch(/^hmac/)
    expect(entries.at(-1).response.data.keys).toBe(1)
  })

  it('is there again after sealing and unsealing', async () => {
    const { ask, lines, service, unsealKeys } = await setup()
    await ask('PUT', '/v1/sys/audit/main', file('/log'))
    await ask('PUT', '/v1/sys/seal')
    for (const key of unsealKeys) await service.seal.unseal(key)
    const before = lines('/log').length
    await ask('GET', '/v1/secret/config')
    expect(lines('/log').length).toBe(before + 2)
  })

  it('stays open at every server while others are enabled and disabled', async () => {
    const [here, there] = [opener(), opener()]
    const store = memoryStore()
    const { ask, unsealKeys } = await client({ openAuditSink: here.openAuditSink, store })
    const other = createSecrets({ openAuditSink: there.openAuditSink, store })
    for (const key of unsealKeys) await other.seal.unseal(key)
    const use = async () => {
      for (const server of [ask, asking(other, 'root')]) await server('GET', '/v1/secret/config')
    }
    await ask('PUT', '/v1/sys/audit/main', file('/main'))
    await use()
    await ask('PUT', '/v1/sys/audit/more', file('/more'))
    await use()
    await ask('DELETE', '/v1/sys/audit/more')
    await use()
    await expect.poll(() => there.closed).toEqual(['/more'])
    // A device is opened once when it is enabled, to see whether it can be.
    expect(here.closed).toEqual(['/main', '/more', '/more'])
    await other.close()
  })

  it('is a socket as well', async () => {
    const { ask, lines } = await setup()
    const device = { type: 'socket', options: { address: 'logs.example:9000', socket_type: 'tcp' } }
    expect((await ask('PUT', '/v1/sys/audit/collector', device)).status).toBe(204)
    await ask('GET', '/v1/secret/config')
    expect(lines('logs.example:9000')).toHaveLength(2)
  })

  it('reports an outage once, with its cause, and serves again when it is over', async () => {
    const { ask, broken, errors } = await setup()
    await ask('PUT', '/v1/sys/audit/main', file('/log'))
    broken.set('/log', 'ENOSPC: no space left on device')
    for (const path of ['one', 'two'])
      expect((await ask('POST', `/v1/secret/data/${path}`, { data: {} })).status).toBe(500)
    expect(errors.map(String)).toEqual([
      'AuditDeviceError: the audit device main/ could not be written: ENOSPC: no space left on device',
    ])
    broken.delete('/log')
    expect((await ask('GET', '/v1/secret/data/one')).status).toBe(404)
    broken.set('/log', 'EIO')
    await ask('GET', '/v1/secret/data/one')
    expect(errors).toHaveLength(2)
  })

  it.each([
    [{ type: 'syslog' }, /unknown backend type: "syslog"/],
    [{}, /unknown backend type: ""/],
    [{ type: 'file' }, /file_path is required/],
    [file('/a\nb'), /control characters/],
    [file('/log', { log_raw: true }), /log_raw is not supported/],
    [file('/log', { format: 'jsonx' }), /the only format is json/],
    [file('/log', { prefix: '* * * * * root' }), /prefix is not supported/],
    [file('/log', { mode: '0777' }), /only the owner/],
    [file('/log', { hmac_accesor: 'true' }), /unknown option "hmac_accesor"/],
    [file('/log', { hmac_accessor: 'sure' }), /must be true or false/],
    [file('/broken'), /cannot be opened: EACCES/],
    [{ type: 'socket', options: { address: 'here' } }, /HOST:PORT/],
    [{ type: 'socket', options: { address: 'h:1', socket_type: 'sctp' } }, /socket_type must be one of/],
    [{ type: 'socket', options: { address: 'h:1', write_timeout: 'soon' } }, /write_timeout/],
  ])('is refused as %j', async (device, reason) => {
    const { ask, broken } = await setup()
    broken.set('/broken', 'EACCES: permission denied')
    const answer = await ask('PUT', '/v1/sys/audit/main', device)
    expect([answer.status, answer.body.errors[0]]).toEqual([400, expect.stringMatching(reason)])
    expect((await ask('GET', '/v1/sys/audit')).body.data).toEqual({})
  })

  it('has a path of its own', async () => {
    const { ask } = await setup()
    await ask('PUT', '/v1/sys/audit/team/main', file('/log'))
    for (const path of ['team/main', 'team', 'team/main/more'])
      expect((await ask('PUT', `/v1/sys/audit/${path}`, file('/other'))).body.errors).toEqual([
        'path already in use',
      ])
    expect((await ask('PUT', '/v1/sys/audit/teams', file('/other'))).status).toBe(204)
  })

  it('needs a program that opens it, and leaves the devices of the program alone', async () => {
    const sink = { write: async () => {} }
    const { ask } = await client({ audit: [{ path: 'own', sink }] })
    expect((await ask('PUT', '/v1/sys/audit/main', file('/log'))).status).toBe(400)
    expect((await ask('DELETE', '/v1/sys/audit/own')).body.errors[0]).toMatch(/declared by the program/)
  })

  it('needs sudo', async () => {
    const { ask, service } = await setup()
    await service.policies.write(
      'almost',
      'path "sys/audit*" { capabilities = ["update", "read", "delete"] }',
    )
    const made = await ask('POST', '/v1/auth/token/create', { policies: ['almost'] })
    const almost = asking(service, made.body.auth.client_token)
    expect((await almost('PUT', '/v1/sys/audit/main', file('/log'))).status).toBe(403)
    expect((await almost('GET', '/v1/sys/audit/main')).status).toBe(403)
  })
})
