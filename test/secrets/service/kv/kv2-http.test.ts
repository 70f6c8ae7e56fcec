import { describe, expect, it } from 'vitest'
import { client, patchType } from '../client.ts'

const version = (number: number, rest = {}) => ({
  version: number,
  created_time: '2026-01-01T00:00:00Z',
  deletion_time: '',
  destroyed: false,
  custom_metadata: null,
  ...rest,
})

describe('reading and writing', () => {
  it('answers a write with the version, and a read with data and metadata', async () => {
    const { ask } = await client()
    const written = await ask('POST', '/v1/secret/data/app/db', { data: { user: 'ada' } })
    expect(written).toMatchObject({ status: 200, body: { data: version(1) } })
    const read = await ask('GET', '/v1/secret/data/app/db')
    expect(read.body).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      lease_id: '',
      renewable: false,
      lease_duration: 0,
      data: { data: { user: 'ada' }, metadata: version(1) },
      wrap_info: null,
      warnings: null,
      auth: null,
      mount_type: 'kv',
    })
  })

  it('sends JSON without charset, never to be cached, ended by a newline', async () => {
    const { ask } = await client()
    const { headers, text } = await ask('POST', '/v1/secret/data/x', { data: {} })
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text.endsWith('}\n')).toBe(true)
  })

  it('takes PUT for POST', async () => {
    const { ask } = await client()
    expect((await ask('PUT', '/v1/secret/data/x', { data: { a: 1 } })).status).toBe(200)
  })

  it('gives every digit back, and names like __proto__ and constructor', async () => {
    const { ask } = await client()
    const data = '{"n":12345678901234567890,"x":1.10,"__proto__":{"polluted":true},"constructor":"c"}'
    await ask('POST', '/v1/secret/data/x', `{"data":${data}}`)
    expect((await ask('GET', '/v1/secret/data/x')).text).toContain(`"data":{"data":${data},"metadata"`)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it.each(['__proto__', 'constructor', 'a b', 'a%2Fb', '%E6%97%A5%E6%9C%AC', 'a%25b', 'toString/__proto__'])(
    'keeps a secret at %s',
    async (path) => {
      const { ask } = await client()
      expect((await ask('GET', `/v1/secret/data/${path}`)).status).toBe(404)
      expect((await ask('POST', `/v1/secret/data/${path}`, { data: { a: 1 } })).status).toBe(200)
      expect((await ask('GET', `/v1/secret/data/${path}`)).body.data.data).toEqual({ a: 1 })
      const first = decodeURIComponent(path).split('/')
      const listed = first.length > 1 ? `${first[0]}/` : first[0]
      expect((await ask('LIST', '/v1/secret/metadata')).body.data.keys).toEqual([listed])
    },
  )

  it('takes no options but a map', async () => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/secret/data/x', { data: { a: 1 }, options: 'cas=1' })
    expect(answer.status).toBe(400)
    expect(answer.body.errors[0]).toMatch(/field "options": expected a map, not a string/)
    expect((await ask('POST', '/v1/secret/data/x', { data: { a: 1 }, options: null })).status).toBe(200)
  })

  it('warns of what it ignores', async () => {
    const { ask } = await client()
    const { body } = await ask('POST', '/v1/secret/data/x', { data: { a: 1 }, zz: 1, extra: 2 })
    expect(body.warnings).toEqual(['Endpoint ignored these unrecognized parameters: [extra zz]'])
  })

  it('reads older versions, pruned ones no more', async () => {
    const { ask } = await client()
    for (let n = 1; n <= 12; n += 1) await ask('POST', '/v1/secret/data/x', { data: { n } })
    expect((await ask('GET', '/v1/secret/data/x?version=3')).body.data.data).toEqual({ n: 3 })
    expect((await ask('GET', '/v1/secret/data/x?version=0')).body.data.data).toEqual({ n: 12 })
    for (const gone of [2, 13])
      expect(await ask('GET', `/v1/secret/data/x?version=${gone}`)).toMatchObject({
        status: 404,
        body: { errors: [] },
      })
  })

  it.each([
    ['no body', undefined, 'no data provided'],
    ['no data', {}, 'no data provided'],
    ['null data', { data: null }, 'no data provided'],
    ['data that is a text', { data: 'x' }, /input for field "data": expected a map, not a string/],
    ['data that is a number', { data: 1 }, /input for field "data": expected a map, not a number/],
    ['a list', [], /the body must be an object/],
    ['broken JSON', '{"data":{"password":"hunter2"', /^failed to parse JSON input: /],
    [
      'a body nested too deep',
      `{"data":{"a":${'['.repeat(600)}${']'.repeat(600)}}}`,
      /deeper than 500 levels/,
    ],
    ['a cas of text', { data: {}, options: { cas: 'x' } }, 'error parsing check-and-set parameter'],
    ['a cas of 1.5', { data: {}, options: { cas: 1.5 } }, 'error parsing check-and-set parameter'],
  ])('refuses %s, and changes nothing', async (_, body, message) => {
    const { ask } = await client()
    const refused = await ask('POST', '/v1/secret/data/x', body)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0]).toEqual(
      typeof message === 'string' ? message : expect.stringMatching(message),
    )
    expect(refused.text).not.toContain('hunter2')
    expect((await ask('GET', '/v1/secret/metadata/x')).status).toBe(404)
  })

  it.each([
    ['1', 200],
    ['"1"', 200],
    ['0', 400],
    ['""', 400],
    ['null', 400],
    ['2', 400],
  ])('with cas %s of a secret at version 1: %d', async (cas, status) => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: {} })
    const answer = await ask('POST', '/v1/secret/data/x', `{"data":{},"options":{"cas":${cas}}}`)
    expect(answer.status).toBe(status)
    if (status === 400)
      expect(answer.body.errors).toEqual(['check-and-set parameter did not match the current version'])
  })

  it('lets one of two writers with the same cas win', async () => {
    const { ask } = await client()
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => ask('POST', '/v1/secret/data/x', { data: {}, options: { cas: 0 } })),
    )
    expect(statuses.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(400)])
    expect((await ask('GET', '/v1/secret/metadata/x')).body.data.current_version).toBe(1)
  })

  it('loses none of many concurrent writes', async () => {
    const { ask } = await client()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask('POST', '/v1/secret/data/x', { data: { n } })),
    )
    const numbers = answers.map(({ body }) => body.data.version).sort((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, n) => n + 1))
  })

  it('refuses versions that are no numbers', async () => {
    const { ask } = await client()
    expect((await ask('GET', '/v1/secret/data/x?version=abc')).status).toBe(400)
  })
})

describe('deleting, undeleting, destroying', () => {
  it('answers a deleted version with 404 and its metadata, until it is undeleted', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 1 } })
    expect((await ask('DELETE', '/v1/secret/data/x')).status).toBe(204)
    expect(await ask('GET', '/v1/secret/data/x')).toMatchObject({
      status: 404,
      body: { data: { data: null, metadata: version(1, { deletion_time: '2026-01-01T00:00:00Z' }) } },
    })
    expect((await ask('POST', '/v1/secret/undelete/x', { versions: ['1'] })).status).toBe(204)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(200)
  })

  it('destroys permanently', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 1 } })
    expect((await ask('PUT', '/v1/secret/destroy/x', { versions: '1' })).status).toBe(204)
    await ask('POST', '/v1/secret/undelete/x', { versions: 1 })
    expect(await ask('GET', '/v1/secret/data/x')).toMatchObject({
      status: 404,
      body: { data: { data: null, metadata: { destroyed: true } } },
    })
    expect((await ask('DELETE', '/v1/secret/destroy/x')).status).toBe(405)
  })

  it('takes versions as numbers, texts, one text, one number', async () => {
    const { ask } = await client()
    for (let n = 0; n < 4; n += 1) await ask('POST', '/v1/secret/data/x', { data: { n } })
    for (const versions of [[1], ['2'], '3, 4', 4])
      expect((await ask('POST', '/v1/secret/delete/x', { versions })).status).toBe(204)
    const { versions } = (await ask('GET', '/v1/secret/metadata/x')).body.data
    for (const number of ['1', '2', '3', '4']) expect(versions[number].deletion_time).not.toBe('')
  })

  it.each([
    ['delete', 'No version number provided'],
    ['undelete', 'No version number provided'],
    ['destroy', 'no version number provided'],
  ])('%s without versions is 400, for an absent secret too; with some it is 204', async (verb, message) => {
    const { ask } = await client()
    for (const body of [undefined, {}, { versions: [] }, { versions: '' }])
      expect(await ask('POST', `/v1/secret/${verb}/x`, body)).toMatchObject({
        status: 400,
        body: { errors: [message] },
      })
    expect((await ask('POST', `/v1/secret/${verb}/x`, { versions: [9] })).status).toBe(204)
    expect((await ask('POST', `/v1/secret/${verb}/x`, { versions: ['x'] })).status).toBe(400)
  })

  it('removes a secret with all versions, repeatedly; then numbers start over', async () => {
    const { ask } = await client()
    for (let n = 0; n < 3; n += 1) await ask('POST', '/v1/secret/data/x', { data: { n } })
    for (let turn = 0; turn < 2; turn += 1)
      expect((await ask('DELETE', '/v1/secret/metadata/x')).status).toBe(204)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(404)
    const again = await ask('POST', '/v1/secret/data/x', { data: { n: 9 }, options: { cas: 0 } })
    expect(again.body.data.version).toBe(1)
    expect((await ask('GET', '/v1/secret/data/x?version=2')).body).toEqual({ errors: [] })
  })

  it('expires versions by the clock', async () => {
    const { ask, clock } = await client()
    await ask('POST', '/v1/secret/config', { delete_version_after: '1h' })
    await ask('POST', '/v1/secret/data/x', { data: { a: 1 } })
    await clock.advance(3_599_999)
    expect((await ask('GET', '/v1/secret/data/x')).status).toBe(200)
    await clock.advance(1)
    expect((await ask('GET', '/v1/secret/data/x')).body.data.metadata.deletion_time).toBe(
      '2026-01-01T01:00:00Z',
    )
  })
})

describe('patching', () => {
  it('merges into a new version', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 1, b: { c: 2, d: 3 } } })
    const patch = { data: { a: null, b: { d: 4 } }, options: { cas: 1 } }
    expect(await ask('PATCH', '/v1/secret/data/x', patch, patchType)).toMatchObject({
      status: 200,
      body: { data: version(2) },
    })
    expect((await ask('GET', '/v1/secret/data/x')).body.data.data).toEqual({ b: { c: 2, d: 4 } })
  })

  it('loses none of many concurrent patches', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { start: true } })
    const patches = Array.from({ length: 12 }, (_, n) =>
      ask('PATCH', '/v1/secret/data/x', { data: { [`k${n}`]: n } }, patchType),
    )
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200)
    expect(Object.keys((await ask('GET', '/v1/secret/data/x')).body.data.data)).toHaveLength(13)
  })

  it('is 404 for what is not there, with metadata for what is gone', async () => {
    const { ask } = await client()
    const patch = { data: { a: 1 } }
    expect(await ask('PATCH', '/v1/secret/data/x', patch, patchType)).toMatchObject({
      status: 404,
      body: { errors: [] },
    })
    await ask('POST', '/v1/secret/data/x', { data: {} })
    await ask('DELETE', '/v1/secret/data/x')
    expect(await ask('PATCH', '/v1/secret/data/x', patch, patchType)).toMatchObject({
      status: 404,
      body: { data: { version: 1, destroyed: false } },
    })
  })

  it.each([
    [undefined, 415],
    ['application/json', 415],
    ['application/merge-patch+json; charset=utf-8', 200],
    ['nonsense', 400],
  ])('with content type %s is %d', async (type, status) => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 1 } })
    const headers = type === undefined ? { 'content-type': 'text/plain' } : { 'content-type': type }
    expect((await ask('PATCH', '/v1/secret/data/x', { data: {} }, headers)).status).toBe(status)
  })
})

describe('metadata', () => {
  it('describes a secret and its versions', async () => {
    const { ask, clock } = await client()
    await ask('POST', '/v1/secret/metadata/x', {
      max_versions: 5,
      delete_version_after: '90m',
      custom_metadata: { owner: 'ada', level: 3 },
    })
    await clock.advance(1500)
    await ask('POST', '/v1/secret/data/x', { data: {} })
    expect((await ask('GET', '/v1/secret/metadata/x')).body.data).toEqual({
      cas_required: false,
      created_time: '2026-01-01T00:00:00Z',
      current_metadata_version: 1,
      current_version: 1,
      custom_metadata: { owner: 'ada', level: '3' },
      delete_version_after: '1h30m0s',
      max_versions: 5,
      metadata_cas_required: false,
      oldest_version: 0,
      updated_time: '2026-01-01T00:00:01.5Z',
      versions: {
        '1': {
          created_time: '2026-01-01T00:00:01.5Z',
          deletion_time: '2026-01-01T01:30:01.5Z',
          destroyed: false,
        },
      },
    })
  })

  it('is not made by a write that says nothing', async () => {
    const { ask } = await client()
    for (const body of [undefined, {}, { unknown: 1 }, { max_versions: null }])
      expect((await ask('POST', '/v1/secret/metadata/x', body)).status).toBe(204)
    expect((await ask('GET', '/v1/secret/metadata/x')).status).toBe(404)
  })

  it('is patched field by field', async () => {
    const { ask } = await client()
    const patch = { custom_metadata: { a: null, b: 'x' } }
    expect((await ask('PATCH', '/v1/secret/metadata/x', patch, patchType)).status).toBe(404)
    await ask('POST', '/v1/secret/metadata/x', { max_versions: 4, custom_metadata: { a: '1' } })
    expect((await ask('PATCH', '/v1/secret/metadata/x', patch, patchType)).status).toBe(204)
    await ask('PATCH', '/v1/secret/metadata/x', { max_versions: null }, patchType)
    expect((await ask('GET', '/v1/secret/metadata/x')).body.data).toMatchObject({
      custom_metadata: { b: 'x' },
      max_versions: 0,
    })
  })

  it('warns when it waives what the mount demands', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/config', { cas_required: true })
    const answer = await ask('POST', '/v1/secret/metadata/x', { cas_required: false })
    expect(answer).toMatchObject({ status: 200, body: { data: null, warnings: [/cas_required/] } })
    expect(await ask('POST', '/v1/secret/data/x', { data: {} })).toMatchObject({
      status: 400,
      body: { errors: ['check-and-set parameter required for this call'] },
    })
  })

  it.each([
    [{ delete_version_after: '-5s' }, /field "delete_version_after": cannot provide negative value '-5'/],
    [{ delete_version_after: 'soon' }, /field "delete_version_after": expected a duration/],
    [{ delete_version_after: '1d12h' }, /field "delete_version_after"/],
    [{ max_versions: 'many' }, /field "max_versions": expected a whole number/],
    [{ max_versions: -1 }, /field "max_versions": cannot provide negative value/],
    [{ cas_required: 'maybe' }, /field "cas_required": expected a boolean/],
    [{ custom_metadata: { a: { b: 1 } } }, /field "custom_metadata": expected a string for "a", not a map/],
    [{ custom_metadata: 'x' }, /field "custom_metadata": expected a map/],
    [{ custom_metadata: { a: '' } }, /^custom_metadata validation failed: /],
  ])('refuses %j, as a patch in the same words', async (body, message) => {
    const { ask } = await client()
    const answer = await ask('POST', '/v1/secret/metadata/x', body)
    expect(answer.status).toBe(400)
    expect(answer.body.errors).toEqual([expect.stringMatching(message)])
    expect((await ask('GET', '/v1/secret/metadata/x')).status).toBe(404)
    await ask('POST', '/v1/secret/metadata/x', { cas_required: true })
    const patched = await ask('PATCH', '/v1/secret/metadata/x', body, patchType)
    expect([patched.status, patched.body]).toEqual([400, answer.body])
  })

  it('keeps its custom metadata in every view of a version', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/metadata/x', { custom_metadata: { a: 'b' } })
    const written = await ask('POST', '/v1/secret/data/x', { data: {} })
    expect(written.body.data.custom_metadata).toEqual({ a: 'b' })
  })
})

describe('settings of the mount', () => {
  it('are zero on a fresh one, and kept when nothing is said', async () => {
    const { ask } = await client()
    const read = async () => (await ask('GET', '/v1/secret/config')).body.data
    expect(await read()).toEqual({ cas_required: false, delete_version_after: '0s', max_versions: 0 })
    await ask('POST', '/v1/secret/config', { max_versions: 3, delete_version_after: '-1s' })
    expect((await ask('POST', '/v1/secret/config')).status).toBe(204)
    expect(await read()).toEqual({ cas_required: false, delete_version_after: '-1s', max_versions: 3 })
  })
})

describe('lists', () => {
  it('show direct children in byte order, by either verb, with or without the slash', async () => {
    const { ask } = await client()
    for (const path of ['b', 'a', 'a/b', 'a-b', 'a/c/d', 'a/c/e', 'Z', 'é'])
      await ask('POST', `/v1/secret/data/${encodeURIComponent(path).replaceAll('%2F', '/')}`, { data: {} })
    const keys = ['Z', 'a', 'a-b', 'a/', 'b', 'é']
    for (const [method, path] of [
      ['LIST', '/v1/secret/metadata'],
      ['LIST', '/v1/secret/metadata/'],
      ['GET', '/v1/secret/metadata?list=true'],
      ['GET', '/v1/secret/metadata/?list=1'],
      ['GET', '/v1/secret/metadata/?list=T'],
    ] as const)
      expect((await ask(method, path)).body.data.keys).toEqual(keys)
    expect((await ask('LIST', '/v1/secret/metadata/a')).body.data.keys).toEqual(['b', 'c/'])
  })

  it('leap over what lies deeper, however much it is', async () => {
    const { service, ask } = await client()
    for (let folder = 0; folder < 3; folder += 1)
      for (let n = 0; n < 300; n += 1) await service.kv().write(`f${folder}/k${n}`, {})
    for (let n = 0; n < 300; n += 1) await service.kv().write(`g${String(n).padStart(3, '0')}`, {})
    const { keys } = (await ask('LIST', '/v1/secret/metadata')).body.data
    expect(keys).toHaveLength(303)
    expect(keys.slice(0, 4)).toEqual(['f0/', 'f1/', 'f2/', 'g000'])
    expect((await ask('LIST', '/v1/secret/metadata/f1')).body.data.keys).toHaveLength(300)
  })

  it('are 404 where there is nothing, and for a leaf', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/a', { data: {} })
    for (const path of ['/v1/secret/metadata/zz', '/v1/secret/metadata/a'])
      expect(await ask('LIST', path)).toMatchObject({ status: 404, body: { errors: [] } })
  })

  it('are not asked for with list=maybe', async () => {
    const { ask } = await client()
    expect(await ask('GET', '/v1/secret/metadata?list=maybe')).toMatchObject({
      status: 400,
      body: { errors: [] },
    })
    expect((await ask('GET', '/v1/secret/metadata/app?list=')).body).toEqual({ errors: [] })
    expect((await ask('GET', '/v1/secret/metadata/app?list=')).status).toBe(404)
  })

  it('still show secrets whose versions are all deleted', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/a', { data: {} })
    await ask('DELETE', '/v1/secret/data/a')
    expect((await ask('LIST', '/v1/secret/metadata')).body.data.keys).toEqual(['a'])
  })
})

describe('subkeys', () => {
  it('show names without values', async () => {
    const { ask } = await client()
    await ask('POST', '/v1/secret/data/x', { data: { a: 'hunter2', b: { c: [1] } } })
    expect((await ask('GET', '/v1/secret/subkeys/x')).body.data).toEqual({
      subkeys: { a: null, b: { c: null } },
      metadata: version(1),
    })
    expect((await ask('GET', '/v1/secret/subkeys/x?depth=1')).body.data.subkeys).toEqual({ a: null, b: null })
    await ask('DELETE', '/v1/secret/data/x')
    expect(await ask('GET', '/v1/secret/subkeys/x')).toMatchObject({
      status: 404,
      body: { data: { subkeys: null, metadata: { version: 1 } } },
    })
  })

  it.each(['depth=-1', 'depth=x', 'depth=0x10', 'depth=1e1', 'version=x', 'version=1.5'])(
    'refuses %s',
    async (query) => {
      const { ask } = await client()
      expect((await ask('GET', `/v1/secret/subkeys/x?${query}`)).status).toBe(400)
    },
  )
})

describe('paths of version 1', () => {
  it.each(['GET', 'POST', 'DELETE', 'LIST', 'PATCH'])('%s is 404 with a word about data/', async (method) => {
    const { ask } = await client()
    const answer = await ask(method, '/v1/secret/app/db', method === 'POST' ? { a: 1 } : undefined)
    expect(answer.status).toBe(404)
    expect(answer.body.data).toBeNull()
    expect(answer.body.warnings[0]).toMatch(/^Invalid path for a versioned K\/V secrets engine/)
  })

  it('on the bare segment says that it is the root', async () => {
    const { ask } = await client()
    const answer = await ask('GET', '/v1/secret/data')
    expect(answer.status).toBe(404)
    expect(answer.body.warnings[0]).toMatch(/on the root/)
  })
})

describe('hostile paths', () => {
  it.each([
    ['an empty segment', '/v1/secret/data/a//b', 301],
    ['a trailing slash', '/v1/secret/data/a/', 400],
    ['no path', '/v1/secret/data/', 400],
    ['dots in disguise', '/v1/secret/data/a/..%2f..%2fsys', 400],
    ['a dot in disguise', '/v1/secret/data/.%2Fa', 400],
    ['a period at the end', '/v1/secret/data/a.', 404],
    ['10,000 segments', `/v1/secret/data/${'a/'.repeat(9_999)}a`, 400],
    ['10,000 bytes', `/v1/secret/data/${'a'.repeat(10_000)}`, 400],
    ['a NUL', '/v1/secret/data/a%00b', 400],
    ['an escape sequence', '/v1/secret/data/%1b%5b31mred', 400],
    ['text in the other direction', '/v1/secret/data/%e2%80%ae', 400],
    ['a space that is not one', '/v1/secret/data/a%c2%a0b', 400],
    ['letters, marks, symbols and a space', '/v1/secret/data/Zo%c3%ab%20e%cc%81%e2%82%ac%f0%9f%94%91', 200],
    ['bad UTF-8', '/v1/secret/data/%ff', 400],
    ['bad encoding', '/v1/secret/data/%zz', 400],
  ])('%s', async (_, path, status) => {
    const { ask, errors } = await client()
    const answer = await ask('POST', path, { data: { a: 1 } })
    expect(answer.status).toBe(status)
    expect(errors).toEqual([])
  })

  it('may end in a period where an option says so', async () => {
    const { ask } = await client({ kvTrailingPeriod: true })
    expect((await ask('POST', '/v1/secret/data/a.', { data: { a: 1 } })).status).toBe(200)
    expect((await ask('GET', '/v1/sys/policies/acl/a.')).status).toBe(404)
  })
})
