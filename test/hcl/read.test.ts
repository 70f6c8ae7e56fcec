import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksOf, positionOf, readHcl, toPlain, unknownName } from '../../src/hcl/index.ts'

const plain = (text: string) => {
  const read = readHcl(text)
  if (!read.ok) throw new Error(read.refusal.message)
  return JSON.parse(JSON.stringify(toPlain(read.value)))
}
const problem = (text: string) => {
  const read = readHcl(text)
  return read.ok ? 'accepted' : read.refusal.message
}

describe('the configuration language', () => {
  const accepted: readonly (readonly [string, string, unknown])[] = [
    ['nothing', '', {}],
    ['only comments', '# a\n// b\n/* c\n d */', {}],
    [
      'attributes',
      'a = "x"\nb = 5\nc = -2.5e3\nd = true\ne = 0x1F',
      { a: 'x', b: 5, c: -2500, d: true, e: 31 },
    ],
    ['attributes on one line', 'a = 1 b = 2, c = 3', { a: 1, b: 2, c: 3 }],
    ['escapes', String.raw`a = "\"q\" \\ \n \t \u00e9 \U0001F600 \x41"`, { a: '"q" \\ \n \t é 😀 A' }],
    ['lists', 'a = ["x", 2, [true],]\nb = []', { a: ['x', 2, [true]], b: [] }],
    ['lists over lines with comments', 'a = [\n  "x", # one\n  "y", // two\n]', { a: ['x', 'y'] }],
    ['objects', 'a = { b = 1, c : 2\n d = { e = 3 } }', { a: { b: 1, c: 2, d: { e: 3 } } }],
    [
      'blocks with labels',
      'path "secret/*" { capabilities = ["read"] }',
      { path: { 'secret/*': { capabilities: ['read'] } } },
    ],
    [
      'several blocks of a type',
      'p "a" { x = 1 }\np "b" { y = 2 }\np "a" { z = 3 }',
      { p: { a: { x: 1, z: 3 }, b: { y: 2 } } },
    ],
    ['quoted and dashed names', '"a b" = 1\nx-y.z = 2', { 'a b': 1, 'x-y.z': 2 }],
    ['a heredoc', 'a = <<EOF\n one\n  two EOF\nEOF\nb = 1', { a: ' one\n  two EOF\n', b: 1 }],
    ['an indented heredoc', 'a = <<-END\n    one\n\n      two\n    END\n', { a: 'one\n\n  two\n' }],
    ['an empty heredoc at the end', 'a = <<E\nE', { a: '' }],
    [
      'hostile names',
      '__proto__ = 1\nconstructor = { toString = 2 }',
      JSON.parse('{"__proto__":1,"constructor":{"toString":2}}'),
    ],
    ['a byte order mark', '\uFEFFa = 1', { a: 1 }],
    [
      'JSON',
      ' {"a": {"b": [1, "x", null, true, {"c": -1.5}]}, "": {}} ',
      { a: { b: [1, 'x', null, true, { c: -1.5 }] }, '': {} },
    ],
    ['words that only begin like booleans as names', 'trueish = true', { trueish: true }],
  ]
  it.each(accepted)('reads %s', (_, text, value) => {
    expect(plain(text)).toEqual(value)
  })

  const refused: readonly (readonly [string, string, RegExp])[] = [
    ['a missing value', 'a =\n\n', /^line 3, column 1: .*end of input/],
    ['a bare word', 'a = b', /^line 1, column 5: /],
    ['an unclosed string', 'a = 1\nb = "x\n', /^line 2, column \d+: the string is not closed/],
    ['an unclosed block', 'path "x" {\n a = 1\n', /^line 3, column 1: /],
    ['an unclosed list', 'a = ["x"\nb = 1', /^line 2, column 1: /],
    ['an unclosed comment', 'a = 1\n/* x', /^line 2, column \d+: the comment is not closed/],
    ['an unclosed heredoc', 'a = <<EOF\nx\n', /no line contains only EOF/],
    ['a name alone', 'path', /^line 1, column 5: /],
    ['a label with a sign', 'path "x" = {}', /a label is followed by a block/],
    ['a name with a bare value', 'a "x" 5', /expected "=" after the name/],
    [
      'an attribute given twice',
      'a = 1\nb = 2\n a = 3',
      /^line 3, column 2: "a" is given twice, first at line 1, column 1/,
    ],
    ['an unknown escape', String.raw`a = "\q"`, /unknown escape/],
    ['an infinite number', 'a = 1e999', /too large/],
    ['a number with a tail', 'a = 5m', /^line 1, column 5/],
    ['JSON with a trailing comma', '{"a": 1,}', /^line 1, column 9: /],
    ['JSON with a rest', '{} {}', /^line 1, column 4: /],
    ['JSON cut short', '{"a": [1, 2', /end of input/],
    ['a list as a document', '[1]', /^line 1, column 1: /],
  ]
  it.each(refused)('refuses %s, saying where', (_, text, message) => {
    expect(problem(text)).toMatch(message)
  })

  it('says line and column in the detail too', () => {
    const read = readHcl('a = 1\n  b = ]')
    expect(!read.ok && read.refusal.detail).toEqual({ line: 2, column: 7 })
  })

  it.each([
    ['lists', '[', ']'],
    ['objects', '{ a = ', '}'],
  ])('refuses %s nested too deep, and survives any depth', (_, left, right) => {
    const nested = (depth: number) => `a = ${left.repeat(depth)}1${right.repeat(depth)}`
    expect(problem(nested(99).replace('1', left === '[' ? '' : '1'))).toBe('accepted')
    expect(problem(nested(101))).toMatch(/nested deeper than 100 levels/)
    expect(problem(left.repeat(100_000))).not.toBe('accepted')
    expect(problem(`{"a":${'['.repeat(100_000)}`)).toMatch(/nested deeper/)
  })

  it('names all that could stand where reading ended', () => {
    expect(problem('a')).toBe(
      'line 1, column 2: expected ":", "<<", "=", "[", "\\"", "false", "null", "true", "{", a name, or a number, found end of input',
    )
    expect(problem('a = <<E 😀')).toBe('line 1, column 9: expected "\\n" or "\\r", found "😀"')
  })

  it('refuses a text that is too long without reading it', () => {
    const read = readHcl('a = 1', { length: 4 })
    expect(!read.ok && read.refusal.message).toBe('the text is longer than 4 characters')
  })

  it('reads all JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        // −0 is written as 0; a key given once is all a JSON object has.
        expect(plain(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('answers any text with a body or a refusal, never an exception', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '=',
      ':',
      ',',
      '\n',
      'a',
      '1',
      '\\',
      '<<E',
      'E',
      '#',
      '/*',
      '*/',
      ' ',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        expect(typeof readHcl(parts.join('')).ok).toBe('boolean')
      }),
    )
  })
})

describe('blocks', () => {
  const labels = (text: string) => {
    const read = readHcl(text)
    if (!read.ok) throw new Error(read.refusal.message)
    const blocks = blocksOf(read.value, 'path', 1)
    return blocks.ok
      ? blocks.value.map((block) => block.labels.map((key) => key.text).join())
      : blocks.refusal.message
  }
  it.each([
    ['blocks', 'path "a" {}\nother "c" {}\npath "b" {}'],
    ['an object', 'path = { a = {}\n b = {} }'],
    ['JSON', '{"path": {"a": {}, "b": {}}}'],
    ['a JSON list', '{"path": [{"a": {}}, {"b": {}}]}'],
  ])('are the same written as %s', (_, text) => {
    expect(labels(text)).toEqual(['a', 'b'])
  })
  it('are refused with the wrong number of labels', () => {
    expect(labels('path "a" "b" {}')).toMatch(/^line 1, column 1: "path" has 1 label, not 2/)
    expect(labels('path { policy = "read" }')).toMatch(
      /^line 1, column 1: "path" has 1 label, not 0: path "…" {/,
    )
    expect(labels('path "a" {}\npath = 5')).toMatch(/^line 2, column 8: "path" is a block/)
  })
})

describe('problems found later', () => {
  const text = 'listener "tcp" {\n  address = "x"\n  headers {\n    default = [1,\n 2]\n  }\n}\n'
  const read = readHcl(text)
  if (!read.ok) throw new Error(read.refusal.message)
  it.each([
    [['listener', 'tcp', 'address'], 2, 3],
    [['listener', 'tcp', 'headers', 'default', 1], 5, 2],
    [['listener', 'tcp', 'headers', 'missing'], 3, 3],
    [['nothing'], 1, 1],
  ])('find the line of %j', (path, line, column) => {
    expect(positionOf(read.value, path)).toEqual({ line, column })
  })
  it('name what is unknown', () => {
    expect(unknownName(read.value, ['listener'])).toBeUndefined()
    expect(unknownName(read.value, ['cors', 'tls'])?.refusal.message).toBe(
      'line 1, column 1: unknown name "listener"; known are cors, tls',
    )
  })
})

describe('a long text', () => {
  it('of one line is read as fast as one of many', () => {
    const read = readHcl(`a = [${'"b",'.repeat(100_000)}]`)
    if (!read.ok) throw new Error(read.refusal.message)
    expect(positionOf(read.value, ['a', 99_999])).toEqual({ line: 1, column: 6 + 4 * 99_999 })
  })
  it('is read, a comment, a string and a list of a megabyte', () => {
    const read = (text: string) => readHcl(text, { length: text.length })
    const long = 'x'.repeat(1_000_000)
    expect(read(`/* ${long} */ a = 1`)).toMatchObject({ value: { entries: [{ value: { value: 1 } }] } })
    expect(read(`a = "${long}"`)).toMatchObject({ value: { entries: [{ value: { value: long } }] } })
    expect(read(`a = [${'1,\n'.repeat(200_000)}]`)).toMatchObject({ ok: true })
  })
  it('reports the position of every name, with any lines in between', () => {
    const text = '\na = 1\r\n  b "x" {\n c = [1,\n\n {}] d { } } e { f = 2 } g\n=\n3\n'
    const read = readHcl(text)
    if (!read.ok) throw new Error(read.refusal.message)
    const paths = [['a'], ['b'], ['b', 'x', 'c'], ['b', 'x', 'd'], ['e'], ['e', 'f'], ['g']]
    for (const path of paths) {
      const offset = text.indexOf(path.at(-1) ?? '')
      const before = text.slice(0, offset).split('\n')
      expect(positionOf(read.value, path)).toEqual({
        line: before.length,
        column: (before.at(-1)?.length ?? 0) + 1,
      })
    }
  })
  it('of labels is nested too deep, as it would be of braces', () => {
    const refused = readHcl(`\n a ${'"b" '.repeat(101)}{}`)
    expect(refused).toMatchObject({ ok: false, refusal: { detail: { line: 2 } } })
    expect(refused.ok || refused.refusal.message).toMatch(/nested deeper than 100 levels$/)
    expect(readHcl(`a ${'"b" '.repeat(99)}{}\n`.repeat(3)).ok).toBe(true)
  })
})
