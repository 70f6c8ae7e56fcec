import { describe, expect, it } from 'vitest'
import {
  normalisePolicies,
  parsePolicy,
  policyDeletionProblem,
  writePolicy,
} from '../../../src/secrets/acl/index.ts'

const env = { now: 1000, newId: () => 'id' }
const message = (text: string) => {
  const read = parsePolicy('p', text)
  return read.ok ? 'accepted' : read.refusal.message
}

describe('reading a policy', () => {
  it.each([
    [
      'an unknown capability',
      'path "a" {\n capabilities = ["reed"]\n}',
      /line 2, column 2: path "a": invalid capability "reed"/,
    ],
    [
      'an unknown key',
      'path "a" {\n capability = "read"\n}',
      /line 2, column 2: path "a": invalid key "capability"; known are/,
    ],
    ['an unknown block', 'paths "a" {}', /line 1, column 1: invalid key "paths"/],
    ['a wrong pattern', 'path "a/+*" {}', /"\+\*" is not a pattern/],
    ['an old word that does not exist', 'path "a" { policy = "rw" }', /invalid policy "rw"/],
    ['a block without a path', 'path { capabilities = ["read"] }', /"path" is a block/],
    ['two labels', 'path "a" "b" {}', /"path" has 1 label, not 2/],
    ['parameters that are no map', 'path "a" { allowed_parameters = ["x"] }', /map of parameters/],
    ['a wrong duration', 'path "a" { min_wrapping_ttl = "soon" }', /is a duration/],
    [
      'wrapping limits the wrong way round',
      'path "a" { min_wrapping_ttl = 10\n max_wrapping_ttl = 5 }',
      /smaller than/,
    ],
    ['parameters with a label', 'path "a" { denied_parameters "x" { y = [] } }', /has no labels/],
    ['broken text', 'path "a" {', /^failed to parse policy: line 1, column 11/],
    ['capabilities that are no texts', 'path "a" { capabilities = [1] }', /list of strings/],
  ])('names %s', (_, text, expected) => {
    expect(message(text)).toMatch(expected)
  })
  it('accepts JSON as well as HCL', () => {
    const json = parsePolicy('p', '{"path": {"a/*": {"capabilities": ["read", "LIST"]}}}')
    const hcl = parsePolicy('p', 'path "a/*" { capabilities = ["read", "LIST"] }')
    const patterns = (read: typeof json) =>
      read.ok && read.value.rules.map(({ path, capabilities }) => ({ path, capabilities }))
    expect(patterns(json)).toEqual(patterns(hcl))
    expect(patterns(hcl)).toEqual([{ path: 'a/*', capabilities: ['list', 'read'] }])
  })
})

describe('parameters', () => {
  it.each([
    'denied_parameters { a = ["x"] }\n denied_parameters { b = [] }\n denied_parameters { a = ["y"] }',
    'denied_parameters = { a = ["x"]\n b = []\n A = ["y"] }',
  ])('that are said bit by bit are all kept: %s', (text) => {
    const read = parsePolicy('p', `path "a" { ${text} }`)
    if (!read.ok) throw new Error(read.refusal.message)
    expect([...(read.value.rules[0]?.deniedParameters ?? [])]).toEqual([
      ['a', ['x', 'y']],
      ['b', []],
    ])
  })
})

describe('writing a policy', () => {
  const text = 'path "a" { capabilities = ["read"] }'
  const code = (name: string, body: string) => {
    const written = writePolicy(undefined, { name, text: body }, env)
    return written.ok ? written.state.name : written.refusal.message
  }
  it('keeps its name in lower case', () => expect(code('App', text)).toBe('app'))
  it('takes base64', () => {
    const written = writePolicy(undefined, { name: 'app', text: btoa(text) }, env)
    expect(written.ok && written.state.text).toBe(text)
  })
  it('takes for a policy what only looks like base64', () =>
    expect(code('app', 'nope')).toMatch(/line 1, column 5: expected .*found end of input/))
  it.each([
    ['root', text, 'cannot update "root" policy'],
    ['response-wrapping', text, 'cannot update "response-wrapping" policy'],
    ['app', ' ', "'policy' parameter not supplied or empty"],
    ['', text, "'name' parameter not supplied or empty"],
  ])('refuses %s with %j', (name, body, expected) => expect(code(name, body)).toBe(expected))
  it('keeps what is there when the text is wrong or the same', () => {
    const first = writePolicy(undefined, { name: 'app', text }, env)
    if (!first.ok) throw new Error(first.refusal.message)
    expect(writePolicy(first.state, { name: 'app', text: 'path' }, env).ok).toBe(false)
    const again = writePolicy(first.state, { name: 'app', text }, { ...env, now: 2000 })
    expect(again.ok && again.state).toBe(first.state)
  })
  it('protects the built-in ones from deletion', () => {
    expect(policyDeletionProblem('Default')?.refusal.message).toBe('cannot delete default policy')
    expect(policyDeletionProblem('root')?.refusal.message).toBe('cannot delete "root" policy')
    expect(policyDeletionProblem('app')).toBeUndefined()
  })
})

describe('a policy with very many parameters', () => {
  const names = Array.from({ length: 5000 }, (_, at) => `k${at}`)
  it('is read, also if each stands in a block of its own, or names the same parameter', () => {
    for (const parameters of [
      `allowed_parameters = { ${names.map((name) => `"${name}" = ["v"]`).join('\n')} }`,
      names.map((name) => `allowed_parameters { "${name}" = ["v"] }`).join('\n'),
      names.map((name) => `allowed_parameters { "k" = ["${name}"] }`).join('\n'),
    ]) {
      const read = parsePolicy('p', `path "a" { ${parameters} }`)
      const allowed = read.ok ? read.value.rules[0]?.allowedParameters : undefined
      expect(allowed && [...allowed.values()].flat()).toHaveLength(names.length)
    }
  })
})

describe('policy names', () => {
  it.each([
    [
      ['b', ' A ', 'b', ''],
      ['a', 'b'],
    ],
    [['x', 'ROOT'], ['root']],
    [[], []],
  ])('%j become %j', (names, expected) => expect(normalisePolicies(names)).toEqual(expected))
})
