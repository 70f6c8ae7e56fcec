import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrappingPolicyText } from '../../../src/secrets/acl/built-in.ts'
import {
  type AclRequest,
  capabilitiesOf,
  compileAcl,
  decide,
  defaultPolicyText,
  explainDecision,
  needsSudo,
  parsePolicy,
  rootPolicy,
} from '../../../src/secrets/acl/index.ts'
import { comparePatterns, patternOf } from '../../../src/secrets/acl/patterns.ts'

const policy = (text: string, name = 'p') => {
  const read = parsePolicy(name, text)
  if (!read.ok) throw new Error(read.refusal.message)
  return read.value
}
const aclOf = (...texts: readonly string[]) =>
  compileAcl(texts.map((text, at) => ({ policy: policy(text, `p${at}`) })))
const rules = (...patterns: readonly string[]) =>
  aclOf(patterns.map((pattern) => `path "${pattern}" { capabilities = ["read"] }`).join('\n'))
const winner = (acl: ReturnType<typeof aclOf>, path: string, operation: AclRequest['operation'] = 'read') =>
  decide(acl, { path, operation }).rule?.pattern

describe('which rule decides', () => {
  it.each([
    ['the exact path', ['a/b', 'a/*', 'a/+', '*'], 'a/b', 'a/b'],
    ['the longest prefix', ['a/*', 'a/b*', '*'], 'a/bc', 'a/b*'],
    ['a prefix that is the whole path', ['a/b*', 'a/*'], 'a/b', 'a/b*'],
    ['the later first wildcard', ['+/b/c', 'a/*'], 'a/b/c', 'a/*'],
    ['the later first wildcard among segments', ['+/b/c', 'a/+/c'], 'a/b/c', 'a/+/c'],
    ['a pattern that does not end in *', ['a/+/c', 'a/+/*'], 'a/b/c', 'a/+/c'],
    ['fewer + segments', ['a/+/+/d', 'a/+/c/d'], 'a/b/c/d', 'a/+/c/d'],
    ['the longer pattern', ['a/+/c*', 'a/+/cd*'], 'a/b/cde', 'a/+/cd*'],
    ['nothing without a match', ['a/b', 'a/+/c', 'x*'], 'a/d', undefined],
    ['+ for one segment only', ['a/+'], 'a/b/c', undefined],
    ['+ for an empty segment', ['a/+'], 'a/', 'a/+'],
    ['a segment pattern with an open end, over more segments', ['a/+/c*'], 'a/b/cd/e/f', 'a/+/c*'],
    ['* in the middle literally', ['a/*/c'], 'a/b/c', undefined],
    ['* in the middle as itself', ['a/*/c'], 'a/*/c', 'a/*/c'],
    ['+ inside a segment literally', ['a/b+'], 'a/b+', 'a/b+'],
    ['a leading slash as none', ['/a/b'], 'a/b', 'a/b'],
    ['everything under *', ['*'], 'any/thing', '*'],
    ['patterns named like prototypes', ['__proto__', 'constructor/*'], '__proto__', '__proto__'],
  ])('is %s', (_, patterns, path, expected) => {
    expect(winner(rules(...patterns), path)).toBe(expected)
  })

  it('for a list is also the rule without the trailing slash', () => {
    const acl = aclOf('path "a" { capabilities = ["list"] }\npath "b/+" { capabilities = ["list"] }')
    expect(winner(acl, 'a/', 'list')).toBe('a')
    expect(winner(acl, 'b/c/', 'list')).toBe('b/+')
    expect(winner(acl, 'a/', 'read')).toBeUndefined()
    expect(winner(acl, 'b/c', 'list')).toBe('b/+')
    expect(winner(rules('c/', 'c/*'), 'c', 'list')).toBe('c/')
    expect(winner(rules('c/*'), 'c', 'list')).toBe('c/*')
  })

  it('never adds up over patterns', () => {
    const acl = aclOf('path "a/*" { capabilities = ["update"] }\npath "a/b" { capabilities = ["read"] }')
    expect(decide(acl, { path: 'a/b', operation: 'update' })).toMatchObject({
      allowed: false,
      reason: 'missing_capability',
    })
  })

  /** The rules in words, with neither index nor order: what the compiled form is held against. */
  const slow = (patterns: readonly string[], path: string): string | undefined => {
    if (patterns.includes(path) && patternOf(path).kind === 'exact') return path
    const fits = (pattern: string) => {
      const { kind, stem, endsOpen } = patternOf(pattern)
      if (kind === 'exact') return false
      if (kind === 'prefix') return path.startsWith(stem)
      const [want, have] = [stem.split('/'), path.split('/')]
      if (endsOpen ? have.length < want.length : have.length !== want.length) return false
      return want.every((segment, at) => {
        const other = have[at] ?? ''
        return (
          segment === '+' ||
          (endsOpen && at === want.length - 1 ? other.startsWith(segment) : segment === other)
        )
      })
    }
    return patterns
      .filter(fits)
      .sort((a, b) => comparePatterns(patternOf(a), patternOf(b)))
      .at(-1)
  }
  const segment = fc.constantFrom('a', 'b', 'ab', '+', '')
  const path = fc
    .array(fc.constantFrom('a', 'b', 'ab', ''), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/').replace(/^\/+/, ''))
  const pattern = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([parts, open]) => parts.join('/').replace(/^\/+/, '') + (open ? '*' : ''))
    .filter((text) => !text.includes('+*') && text !== '')

  it('is the one a slow reading of the rules finds', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(pattern, { maxLength: 12 }),
        fc.array(path, { maxLength: 10 }),
        (patterns, paths) => {
          const acl = rules(...patterns)
          for (const text of paths) expect(winner(acl, text)).toBe(slow(patterns, text))
        },
      ),
    )
  })

  it('does not depend on the order of policies', () => {
    fc.assert(
      fc.property(fc.uniqueArray(pattern, { maxLength: 10 }), path, (patterns, text) => {
        expect(winner(rules(...patterns), text)).toBe(winner(rules(...[...patterns].reverse()), text))
      }),
    )
  })
})

describe('several policies about one pattern', () => {
  it('add up', () => {
    const acl = aclOf('path "a" { capabilities = ["read"] }', 'path "a" { capabilities = ["update"] }')
    expect(capabilitiesOf(acl, 'a')).toEqual(['read', 'update'])
  })
  it('are ended by one deny', () => {
    const acl = aclOf('path "a" { capabilities = ["read"] }', 'path "a" { capabilities = ["deny", "read"] }')
    expect(decide(acl, { path: 'a', operation: 'read' })).toMatchObject({
      allowed: false,
      reason: 'denied',
      sudo: false,
    })
    expect(capabilitiesOf(acl, 'a')).toEqual(['deny'])
  })
  it('deny even what a later policy would allow', () => {
    const acl = aclOf('path "a" { capabilities = ["deny"] }', 'path "a" { capabilities = ["read", "sudo"] }')
    expect(decide(acl, { path: 'a', operation: 'read', needsSudo: true }).allowed).toBe(false)
  })
  it('let an open list of values win', () => {
    const acl = aclOf(
      'path "a" { capabilities = ["update"]\n allowed_parameters = { x = ["1"], y = ["1"] } }',
      'path "a" { capabilities = ["update"]\n allowed_parameters = { x = [], y = ["2"] } }',
    )
    const allowed = (parameters: Record<string, unknown>) =>
      decide(acl, { path: 'a', operation: 'update', parameters }).allowed
    expect([allowed({ x: 'any' }), allowed({ y: '2' }), allowed({ y: '3' })]).toEqual([true, true, false])
  })
  it('take the shorter wrapping', () => {
    const acl = aclOf(
      'path "a" { capabilities = ["read"]\n max_wrapping_ttl = "1h" }',
      'path "a" { capabilities = ["read"]\n max_wrapping_ttl = 60 }',
    )
    const wrapped = (wrapTtlSeconds: number) =>
      decide(acl, { path: 'a', operation: 'read', wrapTtlSeconds }).reason
    expect([wrapped(0), wrapped(60), wrapped(61)]).toEqual(['wrapping', 'granted', 'wrapping'])
  })
})

describe('capabilities', () => {
  it.each(['create', 'read', 'update', 'delete', 'list', 'patch'] as const)(
    '%s allows itself only',
    (operation) => {
      const acl = aclOf(`path "a" { capabilities = ["${operation}"] }`)
      const others = (['create', 'read', 'update', 'delete', 'list', 'patch'] as const).filter(
        (other) => other !== operation,
      )
      expect(decide(acl, { path: 'a', operation }).allowed).toBe(true)
      for (const other of others) expect(decide(acl, { path: 'a', operation: other }).allowed).toBe(false)
    },
  )
  it('need sudo in addition where the path asks for it', () => {
    const acl = aclOf('path "a" { capabilities = ["read"] }\npath "b" { capabilities = ["read", "sudo"] }')
    const reason = (path: string) => decide(acl, { path, operation: 'read', needsSudo: true }).reason
    expect([reason('a'), reason('b')]).toEqual(['missing_sudo', 'granted'])
  })
  it.each([
    ['read', ['list', 'read']],
    ['write', ['create', 'delete', 'list', 'read', 'update']],
    ['sudo', ['create', 'delete', 'list', 'read', 'sudo', 'update']],
    ['deny', ['deny']],
  ])('may be given by the old word %s', (word, expected) => {
    expect(capabilitiesOf(aclOf(`path "a" { policy = "${word}" }`), 'a')).toEqual(expected)
  })
  it('leave help open', () => {
    expect(decide(aclOf(), { path: 'a', operation: 'help' })).toMatchObject({ allowed: true, reason: 'help' })
  })
  it('are shown as deny where nothing matches', () => {
    expect(capabilitiesOf(aclOf(), 'a')).toEqual(['deny'])
  })
})

describe('parameter rules', () => {
  const reason = (
    rule: string,
    parameters: Record<string, unknown>,
    operation: AclRequest['operation'] = 'update',
  ) =>
    decide(aclOf(`path "a" { capabilities = ["update", "read", "list", "delete"]\n${rule} }`), {
      path: 'a',
      operation,
      parameters,
    }).problem
  it.each([
    ['an allowed name', 'allowed_parameters = { x = [] }', { X: 1 }, undefined],
    [
      'a name that is not listed',
      'allowed_parameters = { x = [] }',
      { y: 1 },
      'parameter "y" is not allowed',
    ],
    ['any name under *', 'allowed_parameters = { "*" = [], x = ["1"] }', { y: 1, x: '1' }, undefined],
    [
      'a listed value beside *',
      'allowed_parameters = { "*" = [], x = ["1"] }',
      { x: '2' },
      'the value of parameter "x" is not allowed',
    ],
    ['values of any kind', 'allowed_parameters = { x = [1, true, "s", ["l"]] }', { x: ['l'] }, undefined],
    ['a value that begins so', 'allowed_parameters = { x = ["web-*"] }', { x: 'web-1' }, undefined],
    ['a value that ends so', 'allowed_parameters = { x = ["*-web"] }', { x: 'a-web' }, undefined],
    ['a value that holds it', 'allowed_parameters = { x = ["*web*"] }', { x: 'a-web-b' }, undefined],
    ['a denied name', 'denied_parameters = { x = [] }', { x: 1 }, 'parameter "x" is denied'],
    ['a denied value', 'denied_parameters = { x = ["1"] }', { x: '1' }, 'parameter "x" is denied'],
    ['another value', 'denied_parameters = { x = ["1"] }', { x: '2' }, undefined],
    ['everything denied', 'denied_parameters = { "*" = [] }', { x: 1 }, 'every parameter is denied'],
    ['nothing sent', 'denied_parameters = { "*" = [] }', {}, undefined],
    [
      'a denied value beside another spelling of its name',
      'denied_parameters = { x = ["1"] }',
      { x: '1', X: '2' },
      'parameter "x" is denied',
    ],
    [
      'a value beside another spelling of its name that has an allowed one',
      'allowed_parameters = { x = ["1"] }',
      { x: '2', X: '1' },
      'the value of parameter "x" is not allowed',
    ],
    ['a required name', 'required_parameters = ["X"]', { x: 1 }, undefined],
    ['a missing required name', 'required_parameters = ["x"]', {}, 'parameter "x" is required'],
    [
      'names of prototypes',
      'allowed_parameters = { x = [] }',
      JSON.parse('{"__proto__":1}'),
      'parameter "__proto__" is not allowed',
    ],
  ])('decide about %s', (_, rule, parameters, expected) => {
    expect(reason(rule, parameters)).toBe(expected)
  })

  it('let parameters through together only if each gets through alone, in any order and spelling', () => {
    const name = fc.constantFrom('a', 'A', 'b', 'B', 'c')
    const value = fc.constantFrom<unknown>('1', '10', 1, true, null, ['1'], ['1', '2'], { k: '1' }, [])
    const listed = fc.constantFrom('"1"', '"1*"', '"*0"', '1', 'true', '["1"]', '["1", "2"]')
    const rule = fc
      .tuple(
        fc.constantFrom('allowed_parameters', 'denied_parameters'),
        fc.array(fc.tuple(fc.constantFrom('a', 'B', '*'), fc.array(listed, { maxLength: 3 })), {
          maxLength: 3,
        }),
      )
      .map(([kind, entries]) => {
        const members = new Map(entries.map(([key, values]) => [key, `"${key}" = [${values.join(', ')}]`]))
        return `${kind} = { ${[...members.values()].join('\n')} }`
      })
    fc.assert(
      fc.property(
        rule,
        fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key }),
        (text, members) => {
          const alone = members.map((member) => reason(text, Object.fromEntries([member])))
          const together = reason(text, Object.fromEntries(members))
          expect([text, together === undefined]).toEqual([text, alone.every((one) => one === undefined)])
        },
      ),
      { numRuns: 500 },
    )
  })
  it('are not asked of lists and deletions', () => {
    expect(reason('required_parameters = ["x"]', {}, 'delete')).toBeUndefined()
    expect(reason('required_parameters = ["x"]', {}, 'list')).toBeUndefined()
  })
  it('never repeat a value', () => {
    const text = explainDecision(
      aclOf('path "a" { capabilities = ["update"]\n allowed_parameters = { pw = ["x"] } }'),
      {
        path: 'a',
        operation: 'update',
        parameters: { pw: 'hunter2' },
      },
    ).text
    expect(text).not.toContain('hunter2')
  })
})

describe('root, namespaces and templates', () => {
  it('root allows everything, with sudo', () => {
    const acl = compileAcl([{ policy: rootPolicy }])
    expect(decide(acl, { path: 'sys/raw/x', operation: 'delete', needsSudo: true })).toMatchObject({
      allowed: true,
      sudo: true,
    })
    expect(capabilitiesOf(acl, 'x')).toEqual(['root'])
  })
  it('root of a namespace covers it and what is below, nothing else', () => {
    const acl = compileAcl([{ policy: rootPolicy, namespace: 'team/' }])
    expect(
      ['team/a', 'team/sub/a', 'teams/a', 'a'].map(
        (path) => decide(acl, { path, operation: 'read' }).allowed,
      ),
    ).toEqual([true, true, false, false])
  })
  it('paths of a policy are relative to its namespace', () => {
    const acl = compileAcl([
      { policy: policy('path "secret/*" { capabilities = ["read"] }'), namespace: 'team/' },
    ])
    expect(winner(acl, 'team/secret/a')).toBe('team/secret/*')
    expect(winner(acl, 'secret/a')).toBeUndefined()
  })
  it('a template that does not resolve drops its rule', () => {
    const one = policy('path "secret/{{identity.entity.id}}/*" { capabilities = ["read"] }')
    expect(winner(compileAcl([{ policy: one }]), 'secret/{{identity.entity.id}}/a')).toBeUndefined()
    expect(
      winner(
        compileAcl([{ policy: one }], () => 'e1'),
        'secret/e1/a',
      ),
    ).toBe('secret/e1/*')
    expect(
      winner(
        compileAcl([{ policy: one }], () => '*'),
        'secret/*/a',
      ),
    ).toBeUndefined()
  })
})

describe('explanations', () => {
  const acl = aclOf('path "a/*" {\n capabilities = ["read"]\n}', '\npath "a/+" { capabilities = ["update"] }')
  it('name the rule that decided, its policy and line, and those that lost', () => {
    expect(explainDecision(acl, { path: 'a/b', operation: 'read' })).toEqual({
      allowed: false,
      reason: 'missing_capability',
      text: 'refused: "a/+" (policy p1, line 2) allows update, not read',
      rules: [
        { pattern: 'a/+', capabilities: ['update'], sources: [{ policy: 'p1', line: 2 }], decisive: true },
        { pattern: 'a/*', capabilities: ['read'], sources: [{ policy: 'p0', line: 1 }], decisive: false },
      ],
    })
  })
  it('say when nothing matches', () => {
    expect(explainDecision(acl, { path: 'b', operation: 'read' }).text).toBe('refused: no rule matches "b"')
  })
})

describe('built-in policies', () => {
  it('let a token look after itself', () => {
    const acl = compileAcl([{ policy: policy(defaultPolicyText, 'default') }])
    expect(decide(acl, { path: 'auth/token/lookup-self', operation: 'read' }).allowed).toBe(true)
    expect(decide(acl, { path: 'cubbyhole/a', operation: 'create' }).allowed).toBe(true)
    expect(decide(acl, { path: 'secret/a', operation: 'read' }).allowed).toBe(false)
  })
  it('let a token read its own entity', () => {
    const grants = [{ policy: policy(defaultPolicyText, 'default') }]
    const acl = compileAcl(grants, (name) => (name === 'identity.entity.id' ? 'e1' : undefined))
    expect(decide(acl, { path: 'identity/entity/id/e1', operation: 'read' }).allowed).toBe(true)
    expect(decide(acl, { path: 'identity/entity/id/e2', operation: 'read' }).allowed).toBe(false)
  })
  it('let a wrapping token open what it wraps, and nothing else', () => {
    const acl = aclOf(wrappingPolicyText)
    expect(decide(acl, { path: 'sys/wrapping/unwrap', operation: 'update' }).allowed).toBe(true)
    expect(decide(acl, { path: 'auth/token/lookup-self', operation: 'read' }).allowed).toBe(false)
  })
  it.each([
    ['auth/token/accessors', true],
    ['auth/token/accessors/', true],
    ['sys/auth/idp', true],
    ['sys/auth', false],
    ['sys/mounts/a', false],
  ])('%s needs sudo: %s', (path, expected) => {
    expect(needsSudo(path)).toBe(expected)
  })
})
