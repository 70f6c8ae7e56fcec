import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { relative } from '../../../../src/secrets/service/request/help.ts'
import { mountTypes } from '../../../../src/secrets/service/request/mount-types.ts'
import { asking, client } from '../client.ts'

type Ask = Awaited<ReturnType<typeof client>>['ask']

/** A path of each route, with its parameters filled in, where all mounts of the table exist. */
async function everyPath(ask: Ask) {
  for (const type of ['userpass', 'approle', 'jwt']) await ask('POST', `/v1/sys/auth/${type}`, { type })
  for (const [path, type, options] of [
    ['transit', 'transit', {}],
    ['kv', 'kv', { version: '1' }],
  ])
    await ask('POST', `/v1/sys/mounts/${path}`, { type, options })
  return Object.entries(mountTypes).flatMap(([type, { shownAt, routes }]) =>
    routes
      .filter(({ path }) => path !== '' && path !== '/')
      .map(({ path }) => ({ type, shownAt, path: path.replace(/[:*]\w+/g, 'x') })),
  )
}

describe('help', () => {
  it.each([
    ['/data/*path', '', '/data/*path'],
    ['/data/*path', 'data', '/*path'],
    ['/data/*path', 'data/a/b', '/*path'],
    ['/users/:name', 'users/ada', '/'],
    ['/config', 'config', '/'],
    ['/config', 'data', undefined],
    ['/config', 'config/x', undefined],
  ])('of %s, asked at %j, is about %j', (pattern, rest, expected) => {
    expect(relative(pattern, rest)).toBe(expected)
  })

  it.each([
    ['/v1/secret/?help=1', '/data/{path}'],
    ['/v1/secret/data/app?help=1', '/{path}'],
    ['/v1/auth/idp?help=true', '/login/{username}'],
    ['/v1/auth/idp/config?help=1', '/'],
    ['/v1/sys/mounts?help=1', '/{path}'],
    ['/v1/?help=1', '/secret/data/{path}'],
  ])('at %s has a text and a valid OpenAPI part with %s', async (path, expected) => {
    const { ask } = await client()
    const { status, body } = await ask('GET', path)
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['help', 'openapi'])
    expect(body.help).not.toMatch(/[/][:*]\w/)
    expect(Object.keys(body.openapi.paths)).toContain(expected)
    const { valid, errors } = await new Validator().validate(body.openapi)
    expect([valid, errors]).toEqual([true, undefined])
  })

  it('of a mount has its description and its paths', async () => {
    const { ask } = await client()
    const { help } = (await ask('GET', '/v1/secret/?help=1')).body
    expect(help).toMatch(/^## DESCRIPTION\n\nkey\/value secret storage \(kv backend\)\n\n## PATHS\n\n/)
    expect(help).toMatch(/^GET [/]data[/]\{path\} +Read a version of a secret \(needs read\)$/m)
  })

  it('of a path has its operations, and its parameters with types and descriptions', async () => {
    const { ask } = await client()
    const { help } = (await ask('GET', '/v1/secret/data/app/db?help=1')).body
    expect(help).toMatch(/^Request: {8}data[/]app[/]db\nMatching Route: [/]data[/]\{path\}\n\n/)
    expect(help).toMatch(/^POST [/]data[/]\{path\} +Write a new version of a secret/m)
    expect(help).toMatch(/^## PARAMETERS$/m)
    expect(help).toContain(
      '\n    version (string)\n        the number of the version; the current one by default\n',
    )
    expect(help).toContain('\n    path (string)\n')
    expect(help).not.toContain('## PATHS')
    const { body } = await ask('GET', '/v1/auth/token/create?help=1')
    expect(body.help).toMatch(/^ {4}ttl \(integer or string\)$/m)
    expect(body.help).toMatch(/^## PATHS\n\nPOST [/]\{role\} /m)
  })

  it('is there for every route of every mount', async () => {
    const { ask } = await client()
    for (const { type, shownAt, path } of await everyPath(ask)) {
      const { status, body } = await ask('GET', `${shownAt}${path}?help=1`)
      expect([type, path, status]).toEqual([type, path, 200])
      expect(body.help).toContain('Matching Route: ')
    }
  })

  it('says nothing twice', async () => {
    const { ask } = await client()
    for (const path of ['/v1/', '/v1/auth/token', '/v1/auth/idp', '/v1/sys/policies']) {
      const { body } = await ask('GET', `${path}?help=1`)
      const calls = body.help.match(/^[A-Z]+ \/\S*/gm)
      expect(calls).toEqual([...new Set(calls)])
    }
  })

  it('is for every caller with a token, with any policies', async () => {
    const { ask, service } = await client()
    const { body } = await ask('POST', '/v1/auth/token/create', {
      policies: ['none'],
      no_default_policy: true,
    })
    expect((await asking(service, body.auth.client_token)('GET', '/v1/sys/seal?help=1')).status).toBe(200)
    expect((await asking(service, undefined)('GET', '/v1/sys/seal?help=1')).status).toBe(403)
  })

  it('of everything is one document, for callers whose policies allow it', async () => {
    const { ask, service } = await client()
    const whole = await ask('GET', '/v1/sys/internal/specs/openapi')
    const { paths, ...document } = JSON.parse(JSON.stringify(service.openapi()))
    expect(whole.body).toMatchObject(document)
    expect(Object.keys(whole.body.paths)).toHaveLength(Object.keys(paths).length)
    const { body } = await ask('POST', '/v1/auth/token/create', { policies: ['none'] })
    const unprivileged = asking(service, body.auth.client_token)
    expect((await unprivileged('GET', '/v1/sys/internal/specs/openapi')).status).toBe(403)
  })

  it('of nothing is nothing', async () => {
    const { ask } = await client()
    expect((await ask('GET', '/v1/nowhere/x?help=1')).status).toBe(404)
    const { status, body } = await ask('GET', '/v1/sys/nowhere?help=1')
    expect([status, body.errors]).toEqual([404, ['1 error occurred:\n\t* unsupported path\n\n']])
  })
})
