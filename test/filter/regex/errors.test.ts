import { describe, expect, test } from 'vitest'
import { compileRegex, RegexSyntaxError } from '../../../src/filter/regex/index.ts'

const refusal = (pattern: string): unknown => {
  try {
    return compileRegex(pattern)
  } catch (error) {
    return error
  }
}

describe('a pattern that is not RE2 syntax is refused in the words of Go, with the place', () => {
  test.each([
    ['(edge', 'missing closing ): `(edge`', 0],
    ['a(b(c)', 'missing closing ): `a(b(c)`', 1],
    ['edge)', 'unexpected ): `edge)`', 4],
    ['x[a', 'missing closing ]: `[a`', 1],
    ['[]', 'missing closing ]: `[]`', 0],
    ['ab[z-a]', 'invalid character class range: `z-a`', 3],
    ['[[:foo:]]', 'invalid character class range: `[:foo:]`', 1],
    ['[[:]a:]]', 'invalid character class range: `[:]a:]`', 1],
    ['\\p{Foo}', 'invalid character class range: `\\p{Foo}`', 0],
    ['\\p{Grek}', 'invalid character class range: `\\p{Grek}`', 0],
    ['\\p{Letter}', 'invalid character class range: `\\p{Letter}`', 0],
    ['\\p{Alphabetic}', 'invalid character class range: `\\p{Alphabetic}`', 0],
    ['\\p{Greek', 'invalid character class range: `\\p{Greek`', 0],
    ['\\p', 'invalid character class range: `\\p`', 0],
    ['*', 'missing argument to repetition operator: `*`', 0],
    ['a|+?', 'missing argument to repetition operator: `+?`', 2],
    ['(?i)*', 'missing argument to repetition operator: `*`', 4],
    ['a**', 'invalid nested repetition operator: `**`', 1],
    ['a{2}{3}?', 'invalid nested repetition operator: `{2}{3}?`', 1],
    ['a{1001}', 'invalid repeat count: `{1001}`', 1],
    ['a{2,1}', 'invalid repeat count: `{2,1}`', 1],
    ['((a{100}){100}){100}', 'invalid repeat count: `{100}`', 9],
    ['a\\', 'trailing backslash at end of expression: ``', 1],
    ['(a)\\1', 'invalid escape sequence: `\\1`', 3],
    ['\\C', 'invalid escape sequence: `\\C`', 0],
    ['\\Z', 'invalid escape sequence: `\\Z`', 0],
    ['[\\b]', 'invalid escape sequence: `\\b`', 1],
    ['\\x{110000}', 'invalid escape sequence: `\\x{110000`', 0],
    ['\\x4', 'invalid escape sequence: `\\x4`', 0],
    ['a(?=b)', 'invalid or unsupported Perl syntax: `(?=`', 1],
    ['(?!b)', 'invalid or unsupported Perl syntax: `(?!`', 0],
    ['(?<=b)', 'invalid named capture: `(?<=b)`', 0],
    ['(?>b)', 'invalid or unsupported Perl syntax: `(?>`', 0],
    ['(?P=n)', 'invalid or unsupported Perl syntax: `(?P`', 0],
    ['(?i-)', 'invalid or unsupported Perl syntax: `(?i-)`', 0],
    ['(?P<n', 'invalid named capture: `(?P<n`', 0],
    ['(?P<n-m>a)', 'invalid named capture: `(?P<n-m>`', 0],
    ['(?P<', 'invalid or unsupported Perl syntax: `(?P`', 0],
  ])('%s', (pattern, message, offset) => {
    const error = refusal(pattern)
    expect(error).toBeInstanceOf(RegexSyntaxError)
    expect(error).toMatchObject({ message: `error parsing regexp: ${message}`, offset })
  })
})

describe('a pattern that would grow too large is refused before it grows', () => {
  test.each([
    [
      'a thousand and one groups deep',
      `${'('.repeat(1001)}${')'.repeat(1001)}`,
      'expression nests too deeply',
    ],
    ['eight thousand groups that never close', '('.repeat(8192), 'missing closing )'],
    ['a long text, a thousand times', `(?:${'x'.repeat(8000)}){1000}`, 'expression too large'],
    ['optional repeats in one another', '(a{0,500}){0,3}', 'invalid repeat count'],
  ])('%s', (_, pattern, fault) => {
    expect(refusal(pattern)).toMatchObject({ name: 'RegexSyntaxError', fault })
  })

  test('999 groups deep is allowed', () => {
    expect(compileRegex(`${'('.repeat(999)}${')'.repeat(999)}`).test('')).toBe(true)
  })
})
