import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  nextToken,
  startOfExpression,
  type Token,
  type TokenKind,
} from '../../../src/filter/codemirror/tokens.ts'
import { type Dialect, type Expression, format, parse, type Value } from '../../../src/filter/index.ts'
import { expression } from '../arbitraries.ts'

interface Piece extends Token {
  readonly start: number
}

/** The tokens of a text, as an editor reads them: line by line. */
function tokensOf(text: string, dialect: Dialect): readonly Piece[] {
  const state = startOfExpression()
  const found: Piece[] = []
  let offset = 0
  for (const line of text.split('\n')) {
    for (let at = 0; at < line.length; ) {
      const token = nextToken(line, at, state, dialect)
      if (token.end <= at) throw new Error(`no token at ${offset + at}`)
      found.push({ start: offset + at, end: offset + token.end, kind: token.kind })
      at = token.end
    }
    offset += line.length + 1
  }
  return found
}

const spelled = (text: string, dialect: Dialect = 'standard'): readonly string[] =>
  tokensOf(text, dialect).flatMap(({ start, end, kind }) =>
    kind === undefined ? [] : `${text.slice(start, end)} ${kind}`,
  )

const kindsOfForm: Readonly<Record<Value['form'], readonly TokenKind[]>> = {
  string: ['string', 'word', 'boolean', 'field'],
  number: ['number', 'word'],
  moment: ['moment'],
  parameter: ['parameter'],
}

/** Where the parser found selectors and values, and which tokens may begin there. */
function* placesOf(tree: Expression): Generator<readonly [start: number, kinds: readonly TokenKind[]]> {
  switch (tree.type) {
    case 'and':
    case 'or':
      for (const operand of tree.operands) yield* placesOf(operand)
      return
    case 'not':
      return yield* placesOf(tree.operand)
    case 'any':
    case 'all':
    case 'none':
      yield [tree.selector.start, ['field']]
      return yield* placesOf(tree.body)
    case 'match': {
      yield [tree.selector.start, ['field']]
      const { operand } = tree
      if (operand?.type === 'value') yield [operand.start, kindsOfForm[operand.form]]
      if (operand?.type === 'values')
        for (const value of operand.values) yield [value.start, kindsOfForm[value.form]]
      if (operand?.type === 'field') yield [operand.start, ['field']]
      return
    }
    default:
      return tree satisfies never
  }
}

/** Where the words of the language are names of fields, only the parser knows which is which. */
const isPlain = (text: string) =>
  !/\b(?:not|any|in)\b(?=\s*(?:[=!<>.[)]|not\b|in\b|is\b|ends\b|starts\b|matches\b|contains\b|between\b|and\b|or\b))/.test(
    text,
  )

describe('the tokens of an editor', () => {
  it('tell fields, operators and values apart', () => {
    expect(spelled('Status == running and Count >= 3')).toEqual([
      ...['Status field', '== operator', 'running word', 'and keyword'],
      ...['Count field', '>= operator', '3 number'],
    ])
    expect(spelled('web in Tags or Meta["a.b"].c not contains "x y"')).toEqual([
      ...['web word', 'in keyword', 'Tags field', 'or keyword'],
      ...['Meta["a.b"].c field', 'not keyword', 'contains keyword', '"x y" string'],
    ])
    expect(spelled('any Tags as i, t { t == "a" } and none Meta { @.k is not nil }')).toEqual([
      ...['any keyword', 'Tags field', 'as keyword', 'i name', ', separator', 't name', '{ bracket'],
      ...['t field', '== operator', '"a" string', '} bracket', 'and keyword'],
      ...['none keyword', 'Meta field', '{ bracket', '@.k field', 'is keyword', 'not keyword'],
      ...['nil keyword', '} bracket'],
    ])
    expect(spelled('At between now - 1h and $until and Region in [eu-1, "us"] ignoring case')).toEqual([
      ...['At field', 'between keyword', 'now - 1h moment', 'and keyword', '$until parameter', 'and keyword'],
      ...['Region field', 'in keyword', '[ bracket', 'eu-1 word', ', separator', '"us" string', '] bracket'],
      ...['ignoring keyword', 'case keyword'],
    ])
    expect(spelled('count Groups > 2 and Owner == @Meta.owner and not Stable')).toEqual([
      ...['count keyword', 'Groups field', '> operator', '2 number', 'and keyword', 'Owner field'],
      ...['== operator', '@Meta.owner field', 'and keyword', 'not keyword', 'Stable field'],
    ])
  })

  it('take words of the language for fields where they are compared', () => {
    expect(spelled('not == "n" and any is empty and count > 3')).toEqual([
      ...['not field', '== operator', '"n" string', 'and keyword', 'any field', 'is keyword'],
      ...['empty keyword', 'and keyword', 'count field', '> operator', '3 number'],
    ])
  })

  it('know the words of each dialect', () => {
    expect(spelled('none == 1', 'bexpr')[0]).toBe('none field')
    expect(spelled('Labels.a/b == x/y', 'bexpr')).toEqual(['Labels.a/b field', '== operator', 'x/y word'])
    expect(spelled('Count > 3', 'bexpr')).toEqual(['Count field', '> invalid', '3 invalid'])
  })

  it('keep a backtick string over several lines', () => {
    expect(spelled('A == `x\ny` and B')).toEqual([
      ...['A field', '== operator', '`x string', 'y` string', 'and keyword', 'B field'],
    ])
  })

  it.each(['standard', 'bexpr'] as const)('agree with the parser on what is where, %s', (dialect) => {
    fc.assert(
      fc.property(
        expression(dialect === 'standard')
          .map(format)
          .filter(isPlain),
        (text) => {
          const tokens = tokensOf(text, dialect)
          expect(tokens.filter(({ kind }) => kind === 'invalid')).toEqual([])
          const tree = parse(text, { dialect, limits: { matches: Infinity } })
          for (const [start, kinds] of placesOf(tree)) {
            const token = tokens.find((each) => each.start === start)
            expect([text.slice(start), kinds]).toEqual([
              text.slice(start),
              expect.arrayContaining([token?.kind]),
            ])
          }
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('end for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const tokens = tokensOf(text, 'standard')
        expect(tokens.map(({ start, end }) => text.slice(start, end)).join('')).toBe(
          text.replaceAll('\n', ''),
        )
      }),
    )
  })
})
