import { describe, expect, test } from 'vitest'
import { compileRegex } from '../../../src/filter/regex/index.ts'

const found = (pattern: string, text: string): boolean => compileRegex(pattern).test(text)

describe('a pattern is found anywhere, by code points, as RE2 has it', () => {
  test.each<[pattern: string, finds: readonly string[], misses: readonly string[]]>([
    ['api', ['api', 'my-api-2'], ['ap', 'API']],
    ['^api', ['api-1'], ['an api']],
    ['api$', ['my-api'], ['api\n', 'apis']],
    ['^(api|web)$', ['api', 'web'], ['apiweb', '']],
    ['^svc-[0-9]+-(api|web)$', ['svc-12-api'], ['svc--api', 'svc-1-db', 'xsvc-1-api']],
    ['^.$', ['a', '😀', 'é', '\ud800'], ['', 'ab', '\n']],
    ['(?s)^.$', ['\n'], ['\r\n']],
    ['(?m)^b$', ['a\nb\nc', 'b'], ['ab\nbc']],
    ['(?i)^k$', ['k', 'K', '\u212a'], ['s']],
    ['(?i)^s$', ['s', 'S', '\u017f'], ['ß']],
    ['(?i)^σ$', ['Σ', 'ς', 'σ'], ['s']],
    ['(?i)^\\x{df}$', ['ß', 'ẞ'], ['ss']],
    ['(?i)^[^k]$', ['s'], ['k', 'K', '\u212a']],
    ['(?i)^\\W$', ['-'], ['\u212a', '\u017f']],
    ['^\\W$', ['\u212a', 'é'], ['_', 'a']],
    ['\\bcat\\b', ['a cat.', 'cat'], ['cats', 'éat']],
    ['\\Bcat', ['tomcat'], ['a cat']],
    ['^[[:alpha:]]+$', ['abc'], ['ab1', 'é']],
    ['^[[:^alpha:]]$', ['1', 'é'], ['a']],
    ['^\\pL+$', ['abcé漢'], ['a1']],
    ['^\\p{Greek}$', ['σ'], ['s']],
    ['^\\P{Greek}$', ['s'], ['σ']],
    ['^\\p{^Greek}$', ['s'], ['σ']],
    ['\\Qa.b*\\E$', ['xa.b*'], ['axb*']],
    ['\\Qa.b', ['a.b'], ['axb']],
    ['\\x{1F600}|\\x41|\\101', ['😀', 'A'], ['a']],
    ['^\\a\\f\\t\\n\\r\\v$', ['\x07\f\t\n\r\v'], ['']],
    ['^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']],
    ['^a{,2}$', ['a{,2}'], ['a']],
    ['^(?:a{0}b)$', ['b'], ['ab']],
    ['^(a|b)*?c$', ['c', 'abac'], ['abd']],
    ['(?P<team>infra)-(?<env>dev)', ['infra-dev'], ['infradev']],
    ['(?P<n>a)(?P<n>b)', ['ab'], ['a']],
    ['(?i:a)b', ['Ab', 'ab'], ['aB']],
    ['(?i)a(?-i)b', ['Ab'], ['AB']],
    ['a(?i)b|c', ['C', 'aB'], ['Ab']],
    ['\\A\\z', [''], ['a']],
    ['^[]a]$', [']', 'a'], ['b']],
    ['^[[:]]$', ['[]', ':]'], ['[', ':']],
    ['^[a-]$', ['a', '-'], ['b']],
    ['[^\\x00-\\x{10FFFF}]', [], ['', 'a', '😀']],
    ['', ['', 'a'], []],
    ['^constructor$|__proto__', ['constructor', '__proto__'], ['constructo']],
  ])('%s', (pattern, finds, misses) => {
    for (const text of finds) expect([text, found(pattern, text)]).toEqual([text, true])
    for (const text of misses) expect([text, found(pattern, text)]).toEqual([text, false])
  })
})

describe('half a surrogate pair is a code point of its own', () => {
  test('it is found where it stands alone, and not inside a pair', () => {
    expect(found('\ud83d', 'x\ud83d')).toBe(true)
    expect(found('\ud83d', '😀')).toBe(false)
    expect(found('\\x{d83d}\\x{de00}', '😀')).toBe(false)
    expect(found('\\p{Cs}', '\udc00')).toBe(true)
    expect(found('^[^a]$', '\udc00')).toBe(true)
  })
})

test('case can be ignored from outside, and a pattern cannot close that', () => {
  const regex = compileRegex('^web|api$', { ignoreCase: true })
  expect(['WEB-1', 'my-Api', 'db'].map(regex.test)).toEqual([true, true, false])
  expect(() => compileRegex('a)(b', { ignoreCase: true })).toThrow('unexpected ): `a)(b`')
})
