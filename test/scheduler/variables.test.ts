import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filter, given } from './harness.ts'

const management = { acl: true, managementToken: 'root' }
const as = (token: string) => ({ headers: { 'X-Nomad-Token': token } })

/** A cluster with access control, and tokens of policies. */
async function guarded(...rules: readonly string[]) {
  const harness = await given({}, management)
  const tokens: string[] = []
  for (const [at, Rules] of rules.entries()) {
    await harness.send('PUT', `/v1/acl/policy/p${at}`, { Name: `p${at}`, Rules }, as('root'))
    const made = await harness.send(
      'PUT',
      '/v1/acl/token',
      { Name: 't', Type: 'client', Policies: [`p${at}`] },
      as('root'),
    )
    tokens.push((made.json as { SecretID: string }).SecretID)
  }
  return { ...harness, tokens }
}

describe('a variable', () => {
  it('is written whole, read, listed without its items and deleted', async () => {
    const { get, send } = await given()
    const written = await send('PUT', '/v1/var/app/db', { Items: { user: 'ada', password: 'x' } })
    expect([written.status, written.index]).toEqual([200, 2])
    expect(written.json).toMatchObject({
      Namespace: 'default',
      Path: 'app/db',
      Items: { user: 'ada', password: 'x' },
      CreateIndex: 2,
      ModifyIndex: 2,
    })
    await send('POST', '/v1/var/app/db', { Items: { user: 'eve' } })
    const read = await get('/v1/var/app/db')
    expect(read.json).toMatchObject({ Items: { user: 'eve' }, CreateIndex: 2, ModifyIndex: 3 })
    const [row] = (await get('/v1/vars')).json as object[]
    expect(Object.keys(row ?? {}).sort()).toEqual([
      'CreateIndex',
      'CreateTime',
      'ModifyIndex',
      'ModifyTime',
      'Namespace',
      'Path',
    ])
    const gone = await send('DELETE', '/v1/var/app/db')
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await send('DELETE', '/v1/var/app/db')).status).toBe(204)
    const missing = await get('/v1/var/app/db')
    expect([missing.status, missing.text]).toEqual([404, 'variable not found'])
  })

  it('is written only by who knows its newest version, if they ask for that', async () => {
    const { get, send } = await given()
    await send('PUT', '/v1/var/a?cas=0', { Items: { k: '1' } })
    const refused = await send('PUT', '/v1/var/a?cas=0', { Items: { k: '2' } })
    expect([refused.status, refused.index]).toEqual([409, 2])
    expect(refused.json).toMatchObject({ Path: 'a', Items: { k: '1' }, ModifyIndex: 2 })
    expect((await send('PUT', '/v1/var/a?cas=2', { Items: { k: '2' } })).status).toBe(200)
    expect((await send('DELETE', '/v1/var/a?cas=2')).status).toBe(409)
    expect((await get('/v1/var/a')).json).toMatchObject({ Items: { k: '2' } })
    expect((await send('DELETE', '/v1/var/a?cas=3')).status).toBe(204)
    const none = await send('DELETE', '/v1/var/a?cas=3')
    expect(none.json).toMatchObject({ Path: 'a', ModifyIndex: 0 })
    expect((await send('PUT', '/v1/var/a?cas=x', { Items: { k: '2' } })).status).toBe(400)
  })

  it('refuses a body without items, or with items of another type, as a mistake of the caller', async () => {
    for (const errors of ['spec', 'compat'] as const) {
      const { send } = await given({}, { errors })
      for (const body of [{ Path: 'a' }, { Items: null }, { Items: 1 }, { Items: { k: 1 } }])
        expect((await send('PUT', '/v1/var/a', body)).status, JSON.stringify(body)).toBe(400)
    }
  })

  it('loses no write of concurrent writers that check and set', async () => {
    const { get, send } = await given()
    await send('PUT', '/v1/var/n', { Items: { n: '0' } })
    const add = async (): Promise<void> => {
      const { Items, ModifyIndex } = (await get('/v1/var/n')).json as {
        Items: { n: string }
        ModifyIndex: number
      }
      const put = await send('PUT', `/v1/var/n?cas=${ModifyIndex}`, {
        Items: { n: `${Number(Items.n) + 1}` },
      })
      if (put.status === 409) await add()
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expect((await get('/v1/var/n')).json).toMatchObject({ Items: { n: '8' } })
  })

  it('belongs to its namespace, and lists are by prefix, page and filter', async () => {
    const { get, send } = await given()
    for (const path of ['app/a', 'app/b', 'zoo']) await send('PUT', `/v1/var/${path}`, { Items: { k: 'v' } })
    await send('PUT', '/v1/var/app/a?namespace=ops', { Items: { k: 'ops' } })
    await send('PUT', '/v1/var/app/c', { Namespace: 'ops', Items: { k: 'body' } })
    const paths = async (query: string) =>
      ((await get(`/v1/vars${query}`)).json as { Namespace: string; Path: string }[]).map(
        ({ Namespace, Path }) => `${Namespace}:${Path}`,
      )
    expect(await paths('')).toEqual(['default:app/a', 'default:app/b', 'default:zoo'])
    expect(await paths('?prefix=app/')).toEqual(['default:app/a', 'default:app/b'])
    expect(await paths('?namespace=*&prefix=app/')).toEqual([
      'default:app/a',
      'default:app/b',
      'ops:app/a',
      'ops:app/c',
    ])
    expect(await paths(`?namespace=ops&${filter('Path == "app/c"')}`)).toEqual(['ops:app/c'])
    const page = await get('/v1/vars?per_page=1&prefix=app/')
    expect(page.nextToken).toBe('default.app/b')
    expect(await paths(`?per_page=1&prefix=app/&next_token=${page.nextToken}`)).toEqual(['default:app/b'])
    expect((await get(`/v1/vars?${filter('Items.k == "v"')}`)).status).toBe(400)
  })

  it('keeps its namespace from being deleted', async () => {
    const { send } = await given()
    await send('PUT', '/v1/namespaces', { Name: 'ops' })
    await send('PUT', '/v1/var/a?namespace=ops', { Items: { k: 'v' } })
    const kept = await send('DELETE', '/v1/namespace/ops')
    expect([kept.status, kept.text]).toEqual([400, 'namespace "ops" has variables in regions: [global]'])
    await send('DELETE', '/v1/var/a?namespace=ops')
    expect((await send('DELETE', '/v1/namespace/ops')).status).toBe(200)
  })

  it.each([
    ['PUT', '/v1/var/a', {}, 'variable missing required Items object'],
    ['PUT', '/v1/var/a', { Items: {} }, 'variable missing required Items object'],
    ['PUT', '/v1/var/a', { Items: { k: 7 } }, 'Items.k'],
    ['PUT', '/v1/var/a', undefined, 'Request body is empty'],
    [
      'PUT',
      '/v1/var/a',
      { Items: { k: 'x'.repeat(65_536) } },
      'variables are limited to 64KiB in total size',
    ],
    ['PUT', `/v1/var/${'a'.repeat(129)}`, { Items: { k: 'v' } }, 'invalid path'],
    ['PUT', '/v1/var/a%20b', { Items: { k: 'v' } }, 'invalid path "a b"'],
    ['PUT', '/v1/var/nomad', { Items: { k: 'v' } }, 'below "nomad"'],
    ['PUT', '/v1/var/nomad/job-templates', { Items: { k: 'v' } }, 'reserved'],
    ['PUT', '/v1/var/a?namespace=*', { Items: { k: 'v' } }, 'can not target wildcard'],
    [
      'PUT',
      '/v1/var/a?lock-operation=acquire',
      { Items: { k: 'v' } },
      'locks of variables are not supported',
    ],
  ])('is refused: %s %s', async (method, path, body, why) => {
    const { get, send } = await given()
    const refused = await send(method, path, body)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(why)
    expect((await get('/v1/vars?namespace=*')).json).toEqual([])
  })

  it('holds 64 KiB of items under any names, and returns them unchanged', async () => {
    const { get, send } = await given()
    const path = fc
      .stringMatching(/^[a-zA-Z0-9_~-][a-zA-Z0-9_~/-]{0,60}$/)
      .filter((text) => !text.startsWith('nomad'))
    const items = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), {
      minKeys: 1,
    })
    await fc.assert(
      fc.asyncProperty(path, items, async (path, Items) => {
        const written = await send('PUT', `/v1/var/${path}`, { Items })
        expect(written.status).toBe(200)
        expect((await get(`/v1/var/${path}`)).json).toMatchObject({ Path: path, Items })
      }),
    )
    expect((await send('PUT', '/v1/var/full', { Items: { k: 'x'.repeat(65_535) } })).status).toBe(200)
  })
})

describe('the rights on variables', () => {
  const reader = 'namespace "default" { variables { path "app/*" { capabilities = ["read"] } } }'
  const writer = `namespace "*" { variables {
    path "app/*" { capabilities = ["write", "destroy"] }
    path "app/secret" { capabilities = ["deny"] }
  } }`

  it('are given by path, the closest rule alone deciding', async () => {
    const { get, send, tokens } = await guarded(reader, writer)
    const [read = '', write = ''] = tokens
    const body = { Items: { k: 'v' } }
    expect((await send('PUT', '/v1/var/app/db', body, as(write))).status).toBe(200)
    expect((await send('PUT', '/v1/var/app/db', body, as(read))).status).toBe(403)
    expect((await send('PUT', '/v1/var/app/secret', body, as(write))).status).toBe(403)
    expect((await send('PUT', '/v1/var/other', body, as(write))).status).toBe(403)
    expect((await send('PUT', '/v1/var/other', body, as('root'))).status).toBe(200)
    expect((await get('/v1/var/app/db', as(read))).json).toMatchObject(body)
    expect((await get('/v1/var/app/db', as(write))).status).toBe(403)
    expect((await get('/v1/vars', as(read))).json).toMatchObject([{ Path: 'app/db' }])
    expect((await get('/v1/vars', as(write))).json).toEqual([])
    expect((await send('DELETE', '/v1/var/app/db', undefined, as(read))).status).toBe(403)
    expect((await send('DELETE', '/v1/var/app/db', undefined, as(write))).status).toBe(204)
  })

  it('hide the items of a conflict from who may not read them', async () => {
    const { send, tokens } = await guarded(writer)
    const [write = ''] = tokens
    await send('PUT', '/v1/var/app/db', { Items: { k: 'hidden' } }, as('root'))
    const refused = await send('PUT', '/v1/var/app/db?cas=0', { Items: { k: 'v' } }, as(write))
    expect(refused.status).toBe(409)
    expect(refused.json).toMatchObject({ Path: 'app/db' })
    expect(refused.text).not.toContain('hidden')
  })

  it.each([
    ['variables { }', 'no variable paths in namespace x'],
    ['variables { path "/a" { capabilities = ["read"] } }', "cannot start with a leading '/'"],
    ['variables { path "a" { capabilities = ["fly"] } }', "Invalid variable capability 'fly' in namespace x"],
    ['variables { path "a" { policy = "read" } }', 'unknown field "policy"; use capabilities'],
  ])('are refused where they are misspelt: %s', async (block, why) => {
    const { send } = await given({}, management)
    const refused = await send(
      'PUT',
      '/v1/acl/policy/p',
      { Name: 'p', Rules: `namespace "x" { ${block} }` },
      as('root'),
    )
    expect(refused.status).toBe(400)
    expect(refused.text).toContain(why)
  })
})
