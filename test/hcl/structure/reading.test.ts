import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  constantOf,
  objectEntries,
  readStructure,
  type StructureBlock,
} from '../../../src/hcl/structure/index.ts'

const only = (text: string): StructureBlock => {
  const { body, problems } = readStructure(text)
  expect(problems).toEqual([])
  const [block] = body.blocks
  if (body.blocks.length !== 1 || !block) throw new Error(`${body.blocks.length} blocks`)
  return block
}
/** The texts of a block's attributes by name. */
const texts = ({ body }: StructureBlock) =>
  Object.fromEntries([...body.attributes].map(([name, { text }]) => [name, text]))

describe('the structure of a file', () => {
  it('is its blocks with their labels, and their attributes as text', () => {
    const block = only(
      'resource "aws_vpc" main { # one\n  cidr = "10.0.0.0/8" // two\n  /* three */ count = 2\n}',
    )
    expect(block).toMatchObject({ type: 'resource', labels: ['aws_vpc', 'main'] })
    expect(texts(block)).toEqual({ cidr: '"10.0.0.0/8"', count: '2' })
  })

  it.each([
    ['a template with braces and quotes', '"a ${join("}", ["\\"{", "b"])} %{ if x }}%{ endif } $${no}"'],
    ['a heredoc', '<<EOT\n}\nEOT not the end\n  EOT'],
    ['a heredoc with a template over lines', '<<-X\n  ${jsonencode({\n    X = "}"\n  })}\n  X'],
    ['an object over lines', '{\n  a = 1 # }\n  "b" = [ /* ] */ 2 ]\n}'],
    ['a for over an object', '{ for k, v in var.all : k => v... if v != "}" }'],
    ['a call with a heredoc', 'templatefile(<<A\nx)\nA\n, { y = 1 })'],
    ['a condition over lines in parentheses', '(\n  var.a ? "b" :\n  null\n)'],
    ['a type', 'object({ name = string, tags = optional(map(string), {}) })'],
    ['unicode', '"ünï ☃ 日本 👩‍💻"'],
    ['an index and a splat', 'aws_x.y[*].id[0]["k"]'],
    ['a heredoc whose dollar signs mean themselves', '<<E\n$5 $${x} 100%\nE'],
  ])('keeps %s as it is written', (_, expression) => {
    expect(texts(only(`variable "x" {\n  default = ${expression}\n  after = 1\n}\n`))).toEqual({
      default: expression,
      after: '1',
    })
  })

  it('holds nested and dynamic blocks', () => {
    const block = only(
      'resource "a" "b" {\n  dynamic "rule" {\n    for_each = var.r\n    content { x = rule.value }\n  }\n}',
    )
    const [dynamic] = block.body.blocks
    expect(dynamic).toMatchObject({ type: 'dynamic', labels: ['rule'] })
    expect(dynamic?.body.blocks[0]?.body.attributes.get('x')?.text).toBe('rule.value')
  })

  it('may have Windows line ends, a byte order mark and no last line end', () => {
    expect(texts(only('\uFEFFvariable "x" {\r\n  a = <<E\r\nb\r\nE\r\n  c = 1\r\n}'))).toEqual({
      a: '<<E\r\nb\r\nE',
      c: '1',
    })
  })

  it.each([
    ['variable "a" {\n  type =\n}\n', '2:9: expected a value after "="'],
    ['variable "a" {\n', '1:14: there is no "}" to close this block'],
    ['variable "a {\n}\n', '1:10: the string is not closed on its line'],
    ['a = <<X\nnever\n', '1:5: the heredoc is not closed: no line contains only X'],
    ['a = [1, 2\n', '1:5: there is no "]" to close this'],
    ['/* never\n', '1:1: the comment is not closed'],
    ['}\n', '1:1: expected the name of an attribute or a block, found "}"'],
    ['a = 1 )\n', '1:7: there is no bracket that ")" closes'],
  ])('says where %j is wrong', (text, problem) => {
    const { problems } = readStructure(text)
    expect(problems.map(({ line, column, message }) => `${line}:${column}: ${message}`)).toEqual([problem])
  })

  it('goes on with the next block after a mistake', () => {
    const { body, problems } = readStructure(
      'variable "a" {}\nvariable "b" {\n  x = = 1 ]\n}\n\noutput "c" {\n}\n',
    )
    expect(problems).toHaveLength(1)
    expect(body.blocks.map(({ labels }) => labels[0])).toEqual(['a', 'c'])
  })

  it('takes any text without an exception, and hostile ones in no time that grows faster than they', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        readStructure(text)
        constantOf(text)
      }),
    )
    const tokens = [
      'a',
      ' ',
      '=',
      '{',
      '}',
      '[',
      ']',
      '(',
      ')',
      '"',
      '${',
      '%{',
      '<<E\n',
      'E\n',
      '\n',
      '#',
      '/*',
      '*/',
      '\\',
      ',',
      ':',
      '?',
      '1',
    ]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 60 }), (parts) => {
        readStructure(parts.join(''))
        constantOf(parts.join(''))
      }),
      { numRuns: 2000 },
    )
    for (const hostile of ['{', '[', '(', '"${', '<<A\n', 'a {', 'a "b" ', '-', '!', '1?1:', '1+', '/*']) {
      readStructure(`x = ${hostile.repeat(100_000)}`)
      expect(constantOf(hostile.repeat(100_000))).toBeUndefined()
    }
  })
})

describe('a constant', () => {
  it.each([
    ['60 * 60 + 1', 3601],
    ['2 + 3 * 4 > 13 && !false', true],
    ['-(1.5e3)', -1500],
    ['true ? "a" : "b"', 'a'],
    ['[1,\n  "b",\n  null,\n]', [1, 'b', null]],
    ['{ a = 1, "b" : 2\n c = { d = [] }, (1) = 2 }', { a: 1, b: 2, c: { d: [] }, 1: 2 }],
    ['"tab\\t quote\\" \\u00e9 \\U0001F600 $${x} %%{y}"', 'tab\t quote" é 😀 ${x} %{y}'],
    ['"${1 + 1}"', 2],
    ['"a${true}b${1}"', 'atrueb1'],
    ['<<E\na\n  b\nE', 'a\n  b\n'],
    ['<<-E\n    a\n\n      b "q" \\n\n    E', 'a\n\n  b "q" \\n\n'],
    ['<<E\nE', ''],
  ])('%j comes to its value', (text, value) => {
    expect(constantOf(text)).toEqual(value)
  })

  it.each([
    'var.x',
    'lower("A")',
    '[for x in [1] : x]',
    '"${var.x}"',
    '"a" + 1',
    '1 / 0',
    '1 2',
    '',
    '"%{ if x }a%{ endif }"',
  ])('%j is none', (text) => {
    expect(constantOf(text)).toBeUndefined()
  })

  it('is what JSON says, for JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value).replace(/([$%])\{/g, '$1$1{')
        fc.pre(!/\\[bfu/]|1e|e\+|e-/.test(text))
        expect(JSON.stringify(constantOf(text))).toBe(JSON.stringify(JSON.parse(JSON.stringify(value))))
      }),
    )
  })
})

describe('the entries of an object', () => {
  it('are its values as text', () => {
    const found = objectEntries({
      text: '{\n a = [aws.x, aws.y] # c\n "b" : { c = 1 }, d = f(\n1)\n}',
      at: 10,
    })
    expect([...(found ?? [])].map(([name, { text }]) => [name, text])).toEqual([
      ['a', '[aws.x, aws.y]'],
      ['b', '{ c = 1 }'],
      ['d', 'f(\n1)'],
    ])
    expect(objectEntries({ text: '{ for k in x : k => 1 }', at: 0 })).toBeUndefined()
    expect(objectEntries({ text: '"~> 1.0"', at: 0 })).toBeUndefined()
  })
})
