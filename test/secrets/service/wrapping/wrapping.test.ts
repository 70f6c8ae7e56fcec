import { describe, expect, it } from 'vitest'
import { asking, client } from '../client.ts'

const wrap = (seconds: string | number) => ({ 'X-Secrets-Wrap-TTL': String(seconds) })
const unwrap = '/v1/sys/wrapping/unwrap'
const setup = async () => {
  const made = await client()
  await made.ask('POST', '/v1/secret/data/x', { data: { big: 1 } })
  return { ...made, anyone: asking(made.service, undefined) }
}

describe('a wrapped answer', () => {
  it('is returned once, unchanged', async () => {
    const { ask, anyone } = await setup()
    await ask('POST', '/v1/secret/data/y', '{"data":{"n":12345678901234567890}}')
    const wrapped = await ask('GET', '/v1/secret/data/y', undefined, wrap('5m'))
    expect(wrapped.body).toMatchObject({
      request_id: '',
      data: null,
      auth: null,
      wrap_info: { ttl: 300, creation_path: 'secret/data/y', creation_time: '2026-01-01T00:00:00Z' },
    })
    const { token } = wrapped.body.wrap_info
    const opened = await ask('POST', unwrap, { token })
    expect(opened.status).toBe(200)
    expect(opened.text).toContain('12345678901234567890')
    expect(opened.body.request_id).not.toBe('')
    for (const again of [
      await ask('POST', unwrap, { token }),
      await anyone('POST', unwrap, undefined, { 'X-Secrets-Token': token }),
    ])
      expect([again.status, again.body.errors]).toEqual([
        400,
        ['wrapping token is not valid or does not exist'],
      ])
  })
  it('is wrapped however short the time asked', async () => {
    const { ask } = await client()
    const wrapped = (ttl: string) => ask('GET', '/v1/secret/config', undefined, { 'X-Secrets-Wrap-TTL': ttl })
    expect((await wrapped('500ms')).body).toMatchObject({ data: null, wrap_info: { ttl: 1 } })
    expect((await wrapped('0')).body).toMatchObject({ wrap_info: null })
    for (const ttl of ['-1', '-500ms', 'soon']) expect((await wrapped(ttl)).status).toBe(400)
  })

  it('is read by older clients in the token’s own cubbyhole, once and word for word', async () => {
    const { ask, service } = await setup()
    await ask('POST', '/v1/secret/data/y', '{"data":{"n":12345678901234567890}}')
    const { body } = await ask('GET', '/v1/secret/data/y', undefined, wrap(60))
    const holder = asking(service, body.wrap_info.token)
    const read = await holder('GET', '/v1/cubbyhole/response')
    expect(Object.keys(read.body.data)).toEqual(['response'])
    expect(read.body.data.response).toContain('"n":12345678901234567890')
    expect(JSON.parse(read.body.data.response)).toMatchObject({ data: { metadata: { version: 1 } } })
    expect((await holder('GET', '/v1/cubbyhole/response')).status).toBe(403)
    expect((await holder('POST', unwrap)).status).toBe(400)
  })

  it('is opened by its token alone', async () => {
    const { ask, service } = await setup()
    const { body } = await ask('GET', '/v1/secret/data/x', undefined, wrap(60))
    const holder = asking(service, body.wrap_info.token)
    expect((await holder('POST', unwrap)).body.data.data).toEqual({ big: 1 })
    expect((await holder('POST', unwrap)).status).toBe(400)
  })
  it('is returned to one of two concurrent callers', async () => {
    const { ask, anyone } = await setup()
    const { body } = await ask('GET', '/v1/secret/data/x', undefined, wrap(60))
    const both = await Promise.all([1, 2].map(() => anyone('POST', unwrap, { token: body.wrap_info.token })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  })
  it('is gone after its time', async () => {
    const { ask, clock } = await setup()
    const { body } = await ask('GET', '/v1/secret/data/x', undefined, wrap(60))
    await clock.advance(60_000)
    expect((await ask('POST', unwrap, { token: body.wrap_info.token })).status).toBe(400)
  })
  it('tells about itself without being opened', async () => {
    const { ask, anyone } = await setup()
    const { token } = (await ask('GET', '/v1/secret/data/x', undefined, wrap(60))).body.wrap_info
    const about = await anyone('POST', '/v1/sys/wrapping/lookup', { token })
    expect(about.body.data).toEqual({
      creation_ttl: 60,
      creation_time: '2026-01-01T00:00:00Z',
      creation_path: 'secret/data/x',
    })
    expect((await ask('POST', unwrap, { token })).status).toBe(200)
    expect((await anyone('POST', '/v1/sys/wrapping/lookup', { token })).status).toBe(400)
  })
  it('may be the metadata of a deleted version', async () => {
    const { ask } = await setup()
    await ask('DELETE', '/v1/secret/data/x')
    const { status, body } = await ask('GET', '/v1/secret/data/x', undefined, wrap(60))
    expect([status, body.data]).toEqual([200, null])
    const opened = await ask('POST', unwrap, { token: body.wrap_info.token })
    // It is answered as it was: a client that unwraps it sees that the secret is gone.
    expect(opened.status).toBe(404)
    expect(opened.body.data).toMatchObject({ data: null, metadata: { version: 1 } })
    const moved = (await ask('GET', '/v1/secret/data/x', undefined, wrap(60))).body.wrap_info
    const again = (await ask('POST', '/v1/sys/wrapping/rewrap', { token: moved.token })).body.wrap_info
    expect((await ask('POST', unwrap, { token: again.token })).status).toBe(404)
    expect((await ask('GET', '/v1/secret/data/none', undefined, wrap(60))).status).toBe(404)
  })

  it('moves to a new token', async () => {
    const { ask } = await setup()
    const { token } = (await ask('GET', '/v1/secret/data/x', undefined, wrap(60))).body.wrap_info
    const again = (await ask('POST', '/v1/sys/wrapping/rewrap', { token })).body.wrap_info
    expect(again).toMatchObject({ ttl: 60, creation_path: 'secret/data/x' })
    expect((await ask('POST', unwrap, { token })).status).toBe(400)
    expect((await ask('POST', unwrap, { token: again.token })).body.data.data).toEqual({ big: 1 })
  })
  it('shows the accessor of a token that it holds', async () => {
    const { ask } = await setup()
    const { body } = await ask('POST', '/v1/auth/token/create', {}, wrap(60))
    const opened = await ask('POST', unwrap, { token: body.wrap_info.token })
    expect(body.wrap_info.wrapped_accessor).toBe(opened.body.auth.accessor)
  })
  it('may be of any data', async () => {
    const { ask } = await setup()
    const { body } = await ask('POST', '/v1/sys/wrapping/wrap', { a: { b: 1 } }, wrap(60))
    expect((await ask('POST', unwrap, { token: body.wrap_info.token })).body.data).toEqual({ a: { b: 1 } })
    expect((await ask('POST', '/v1/sys/wrapping/wrap', { a: 1 })).status).toBe(400)
  })
  it('is not made of an answer without content, or of an error', async () => {
    const { ask } = await setup()
    expect((await ask('DELETE', '/v1/secret/metadata/x', undefined, wrap(60))).status).toBe(204)
    const missing = await ask('GET', '/v1/secret/data/none', undefined, wrap(60))
    expect([missing.status, missing.body]).toEqual([404, { errors: [] }])
  })
  it.each(['soon', '-5', '1d12h'])('is refused for %s', async (ttl) => {
    const { ask } = await setup()
    const answer = await ask('GET', '/v1/secret/data/x', undefined, wrap(ttl))
    expect([answer.status, answer.body.errors[0]]).toEqual([
      400,
      expect.stringMatching(/^error parsing X-Secrets-Wrap-TTL header/),
    ])
  })
  it('can be what a policy insists on', async () => {
    const { ask, service } = await setup()
    await ask('PUT', '/v1/sys/policies/acl/w', {
      policy: 'path "secret/data/*" { capabilities = ["read"]\n max_wrapping_ttl = 60 }',
    })
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['w'] })
    const only = asking(service, body.auth.client_token)
    expect((await only('GET', '/v1/secret/data/x')).status).toBe(403)
    expect((await only('GET', '/v1/secret/data/x', undefined, wrap(61))).status).toBe(403)
    expect((await only('GET', '/v1/secret/data/x', undefined, wrap(60))).status).toBe(200)
  })
  it('does nothing else with its token', async () => {
    const { ask, service } = await setup()
    const { body } = await ask('GET', '/v1/secret/data/x', undefined, wrap(60))
    const holder = asking(service, body.wrap_info.token)
    expect((await holder('GET', '/v1/secret/data/x')).status).toBe(403)
  })
})

describe('a cubbyhole', () => {
  it('is each token’s own', async () => {
    const { ask, service } = await setup()
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['default'] })
    const other = asking(service, body.auth.client_token)
    expect((await ask('POST', '/v1/cubbyhole/a/b', { x: 1 })).status).toBe(204)
    await ask('POST', '/v1/cubbyhole/c', { x: 2 })
    expect((await ask('GET', '/v1/cubbyhole/a/b')).body.data).toEqual({ x: 1 })
    expect((await ask('LIST', '/v1/cubbyhole/')).body.data.keys).toEqual(['a/', 'c'])
    expect((await other('GET', '/v1/cubbyhole/a/b')).status).toBe(404)
    expect((await other('POST', '/v1/cubbyhole/mine', { y: 1 })).status).toBe(204)
    expect((await ask('DELETE', '/v1/cubbyhole/a/b')).status).toBe(204)
    expect((await ask('GET', '/v1/cubbyhole/a/b')).status).toBe(404)
    expect((await ask('POST', '/v1/cubbyhole/d', {})).body.errors).toEqual(['missing data fields'])
  })
  it('ends with its token, and is swept away', async () => {
    const { ask, service } = await setup()
    const make = () => ask('POST', '/v1/auth/token/create', { id: 'again', policies: ['default'] })
    await make()
    const again = asking(service, 'again')
    await again('POST', '/v1/cubbyhole/x', { y: 1 })
    await again('POST', '/v1/auth/token/revoke-self')
    await make()
    expect((await again('GET', '/v1/cubbyhole/x')).status).toBe(404)
    expect(await service.sweep()).toBeGreaterThan(0)
    expect(await service.sweep()).toBe(0)
  })
  it('is not for batch tokens', async () => {
    const { ask, service } = await setup()
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['default'], type: 'batch' })
    const batch = asking(service, body.auth.client_token)
    expect((await batch('GET', '/v1/cubbyhole/x')).body.errors[0]).toMatch(
      /only supported by 'service' type tokens/,
    )
  })
})
