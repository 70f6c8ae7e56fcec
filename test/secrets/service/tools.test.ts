import { describe, expect, it } from 'vitest'
import { asking, client } from './client.ts'

const input = Buffer.from('The quick brown fox jumps over the lazy dog').toString('base64')

describe('hashing', () => {
  it.each([
    ['', {}, 'd7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592'],
    ['/sha2-256', { format: 'base64' }, '16j7swfXgJRpypq8sAguT41WUeRtPNt2LQLQvzfJ5ZI='],
    ['', { algorithm: 'sha2-224' }, '730e109bd7a8a32b1cb9d9a09aa2325d2430587ddbc0c38bad911525'],
    [
      '/sha3-256',
      { algorithm: 'sha2-512' },
      '69070dda01975c8c120c3aada1b282394e7f032fa9cf32f4cb2259a0897dfc04',
    ],
  ])('%s with %j', async (path, body, sum) => {
    const { ask } = await client()
    const { body: answer } = await ask('POST', `/v1/sys/tools/hash${path}`, { input, ...body })
    expect([answer.data.sum, answer.sum]).toEqual([sum, sum])
  })

  it.each([
    [{ input, algorithm: 'md5' }, 'unsupported algorithm "md5"'],
    [{ input, format: 'octal' }, 'unsupported encoding format "octal"; must be "hex" or "base64"'],
    [{ input: 'not base64!' }, 'unable to decode input as base64'],
    [{}, 'unable to decode input as base64'],
  ])('refuses %j', async (body, error) => {
    const { ask } = await client()
    expect(await ask('POST', '/v1/sys/tools/hash', body)).toMatchObject({
      status: 400,
      body: { errors: [error] },
    })
  })

  it('is allowed to every token with the default policy; random bytes are not', async () => {
    const { service } = await client()
    const made = await service.tokens.create({ policies: ['default'] })
    const ask = asking(service, made.ok ? made.value.token : '')
    expect((await ask('POST', '/v1/sys/tools/hash', { input })).status).toBe(200)
    expect((await ask('POST', '/v1/sys/tools/random')).status).toBe(403)
  })
})

describe('random bytes', () => {
  it.each([
    ['', {}, 32],
    ['/16', {}, 16],
    ['/all', { bytes: 8 }, 8],
    ['/platform/100', {}, 100],
    ['', { bytes: '5', source: 'seal' }, 5],
  ])('%s with %j', async (path, body, length) => {
    const { ask } = await client()
    const draw = async () => (await ask('POST', `/v1/sys/tools/random${path}`, body)).body.data.random_bytes
    const [one, two] = [await draw(), await draw()]
    expect(Buffer.from(one, 'base64')).toHaveLength(length)
    expect(one).not.toBe(two)
    const hex = await ask('POST', `/v1/sys/tools/random${path}`, { ...body, format: 'hex' })
    expect(hex.body.random_bytes).toMatch(new RegExp(`^[0-9a-f]{${length * 2}}$`))
  })

  it.each([
    ['', { bytes: 0 }, '"bytes" cannot be less than 1'],
    ['/131073', {}, '"bytes" should be less than or equal to 131072'],
    ['/dice', {}, 'unsupported entropy source "dice"; must be "platform" or "seal", or "all"'],
    ['', { format: 'x' }, 'unsupported encoding format "x"; must be "hex" or "base64"'],
  ])('%s refuses %j', async (path, body, error) => {
    const { ask } = await client()
    expect(await ask('POST', `/v1/sys/tools/random${path}`, body)).toMatchObject({
      body: { errors: [error] },
    })
  })
})

describe('what a caller may do', () => {
  it('is listed by path, prefixes without their star', async () => {
    const { ask, service } = await client()
    await ask('PUT', '/v1/sys/policies/acl/app', {
      policy: `path "secret/data/app" { capabilities = ["read", "create"] }
        path "secret/data/team/*" { capabilities = ["list"] }
        path "secret/+/shared" { capabilities = ["deny"] }`,
    })
    const made = await service.tokens.create({ policies: ['app'] })
    const asApp = asking(service, made.ok ? made.value.token : '')
    const { data } = (await asApp('GET', '/v1/sys/internal/ui/resultant-acl')).body
    expect(data.root).toBe(false)
    expect(data.exact_paths['secret/data/app']).toEqual({ capabilities: ['create', 'read'] })
    expect(data.exact_paths['auth/token/lookup-self']).toEqual({ capabilities: ['read'] })
    expect(data.glob_paths['secret/data/team/']).toEqual({ capabilities: ['list'] })
    expect(data.glob_paths['secret/+/shared']).toEqual({ capabilities: ['deny'] })
    expect((await ask('GET', '/v1/sys/internal/ui/resultant-acl')).body.data.root).toBe(true)
  })
})

describe('audit devices', () => {
  it('are none, and cannot be enabled over HTTP', async () => {
    const { ask } = await client()
    expect((await ask('GET', '/v1/sys/audit')).body.data).toEqual({})
    const refused = await ask('PUT', '/v1/sys/audit/file', { type: 'file' })
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [expect.stringContaining('declares its audit devices')] },
    })
    expect((await ask('DELETE', '/v1/sys/audit/file')).status).toBe(204)
  })
})
