import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import peggy from 'peggy'
import { expect, test } from 'vitest'
import { parse } from '../../src/hcl/generated/hcl-parser.js'

// The parser that is shipped is written by `scripts/peggy-compact.mjs`; Peggy's own of the same grammar is the judge.
const judge = peggy.generate(readFileSync('grammar/hcl.peggy', 'utf8'))

class Refused extends Error {
  readonly at: unknown
  constructor(at: unknown) {
    super('refused')
    this.at = at
  }
}

/** The tree, or where and with what words of the grammar's own the text is refused. */
function shipped(text: string): unknown {
  const fail = (
    message: string | null,
    start: number,
    _end: number,
    _expected: readonly string[] | null,
    location?: { readonly start: { readonly line: number; readonly column: number } },
  ): never => {
    throw new Refused(location?.start ?? [start, message])
  }
  try {
    return parse(text, { depth: 5, fail })
  } catch (error) {
    if (error instanceof Refused) return error.at
    throw error
  }
}

function judged(text: string): unknown {
  try {
    return judge.parse(text, { depth: 5 })
  } catch (error) {
    if (!(error instanceof judge.SyntaxError)) throw error
    const { location, expected, message } = error
    const { offset, ...place } = location.start
    return offset === undefined ? place : [offset, expected === null ? message : null]
  }
}

const fragment = fc.constantFrom(
  ...[
    'a',
    'path',
    '"x"',
    '"',
    '\\n',
    '\\u00e9',
    '\\q',
    '=',
    ':',
    '{',
    '}',
    '[',
    ']',
    ',',
    ' ',
    ' ',
    '\n',
    '\r\n',
  ],
  ...[
    '1',
    '-2.5e3',
    '0x1F',
    '0xg',
    '5m',
    '1e999',
    'true',
    'false',
    'null',
    'trueish',
    '# c\n',
    '// d\n',
    '/*',
    '*/',
  ],
  ...[
    '<<E',
    '<<-E',
    '\nE\n',
    '\n  E',
    '\uFEFF',
    'é',
    '_',
    '.',
    '-',
    '😀',
    '"a":',
    '{"a":1}',
    '[[[[[[',
    '{a=',
  ],
)

test('the shipped parser reads any text as the generator of grammars does', () => {
  fc.assert(
    fc.property(
      fc.array(fragment, { maxLength: 16 }).map((parts) => parts.join('')),
      (text) => {
        expect(shipped(text)).toEqual(judged(text))
      },
    ),
    { numRuns: 2000 },
  )
})

const policy = `# a team
path "secret/data/*" {
  capabilities = ["read", "list"]
  min_wrapping_ttl = "1h" /* or more */
  allowed_parameters = { "a" = ["x", 2], b : [] }
}
note = <<-EOF
    two
     lines
    EOF
`

test('and whatever a slip of the pen makes of a policy', () => {
  fc.assert(
    fc.property(fc.nat({ max: policy.length }), fc.nat({ max: 3 }), fragment, (at, drop, insert) => {
      const text = policy.slice(0, at) + insert + policy.slice(at + drop)
      expect(shipped(text)).toEqual(judged(text))
    }),
    { numRuns: 2000 },
  )
})

test('a comment, a text and a list of a megabyte are read', () => {
  const long = 'x'.repeat(1_000_000)
  expect(shipped(`/* ${long} */ a = 1`)).toMatchObject({ entries: [{ value: { value: 1 } }] })
  expect(shipped(`a = "${long}"`)).toMatchObject({ entries: [{ value: { value: long } }] })
  expect(shipped(`a = [${'1,\n'.repeat(200_000)}]`)).toMatchObject({ kind: 'object' })
})
