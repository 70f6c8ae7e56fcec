import { describe, expect, it } from 'vitest'
import { type Method, matcher, reply, route } from '../../src/http/index.ts'

const at = (id: string, path: `/${string}`, method: Method = 'GET') =>
  route<null>()({ id, method, path, summary: id, handle: () => reply() })

const look = matcher([
  at('tail', '/*rest'),
  at('capture', '/:user/:box'),
  at('literal', '/api/search'),
  at('deeper', '/api/:box/versions'),
  at('write', '/api/search', 'PUT'),
  at('dir', '/dir/'),
  at('list', '/dir/*path', 'LIST'),
])
const found = (method: string, path: string) => {
  const match = look(method, path)
  return match.kind === 'found' ? [match.matched.route.id, { ...match.matched.params }] : match
}

describe('looking a path up in a route table', () => {
  it.each([
    ['/api/search', ['literal', {}]],
    ['/ada/web', ['capture', { user: 'ada', box: 'web' }]],
    ['/api/web', ['capture', { user: 'api', box: 'web' }]],
    ['/api/web/versions', ['deeper', { box: 'web' }]],
    ['/api/web/versions/1', ['tail', { rest: 'api/web/versions/1' }]],
    ['/a%2Fb/c', ['capture', { user: 'a/b', box: 'c' }]],
    ['/dir/', ['dir', {}]],
    ['/', ['tail', { rest: '' }]],
  ])('prefers literals to captures to tails: %s', (path, expected) => {
    expect(found('GET', path)).toEqual(expected)
  })

  it('goes on to a less literal route when the nearer one lacks the method', () => {
    expect(found('LIST', '/dir/a/b')).toEqual(['list', { path: 'a/b' }])
    expect(found('HEAD', '/api/search')).toEqual(['literal', {}])
  })

  it('names every method of the path when none fits', () => {
    expect(found('PATCH', '/api/search')).toEqual({ kind: 'method', allow: ['GET', 'HEAD', 'PUT'] })
  })

  it('refuses a path that cannot be decoded', () => {
    expect(found('GET', '/%zz/b')).toEqual({ kind: 'malformed' })
  })

  it('refuses a pattern that captures one name twice or has a tail in the middle', () => {
    expect(() => matcher([at('x', '/:a/:a')])).toThrow('distinct name')
    expect(() => matcher([at('x', '/*a/b')])).toThrow('a tail must come last')
  })
})
