import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from '../../../src/filter/generated/filter-parser.js'
import { pointerSegments } from '../../../src/filter/reading/text.ts'
import { runs } from '../../runs.ts'

const readAs = (text: string, extended: boolean, isSilent = false): string | undefined => {
  try {
    const nest = () => true
    const tree = parse(text, {
      bexpr: false,
      extended,
      nest,
      unquote: (raw) => raw,
      pointerPath: pointerSegments,
      isMoment: () => true,
      parameter: () => {},
      peg$silentFails: isSilent ? 1 : 0,
    })
    return JSON.stringify(tree)
  } catch {
    return undefined
  }
}

/** Fields called like every word of the language, old and new. */
const name = fc.constantFrom(
  ...['not', 'in', 'and', 'or', 'any', 'all', 'none', 'count', 'is', 'empty', 'nil', 'true', 'as', 'x'],
  ...['between', 'starts', 'with', 'ends', 'now', 'contains', 'matches', 'ignoring', 'case', 'a.not'],
)
const value = fc.oneof(name, name, fc.constantFrom('1', '"s"', '-2', 'now - 1h', 'a-b', '$p', '2026-01-31'))
const not = fc.constantFrom('', 'not ')
const match = fc.oneof(
  fc.tuple(name, fc.constantFrom('==', '!=', '<'), value).map((parts) => parts.join(' ')),
  fc.tuple(value, not, name).map(([one, negated, of]) => `${one} ${negated}in ${of}`),
  fc
    .tuple(name, not, fc.constantFrom('contains', 'matches'), name)
    .map(([one, negated, op, of]) => `${one} ${negated}${op} ${of}`),
  fc
    .tuple(name, not, fc.constantFrom('empty', 'nil'))
    .map(([one, negated, what]) => `${one} is ${negated}${what}`),
  fc.tuple(name, not, value).map(([one, negated, of]) => `${one} ${negated}in [${of}] ignoring case`),
)
const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4 },
    match,
    match,
    tie('text').map((one) => `not ${one}`),
    tie('text').map((one) => `(${one})`),
    fc.tuple(tie('text'), fc.constantFrom('and', 'or'), tie('text')).map((parts) => parts.join(' ')),
    fc
      .tuple(fc.constantFrom('any', 'all'), name, name, tie('text'))
      .map(([kind, of, as, body]) => `${kind} ${of} as ${as} { ${body} }`),
  ),
}))

test('a text is read the same whether or not rules are tried only where their first character stands', () => {
  fc.assert(
    fc.property(text, (source) => {
      expect(readAs(source, true, true)).toBe(readAs(source, true))
    }),
    { numRuns: runs(5000) },
  )
})

test('what was added changes no text that could be read before', () => {
  let read = 0
  fc.assert(
    fc.property(text, (source) => {
      const before = readAs(source, false)
      if (before === undefined) return
      read += 1
      expect(readAs(source, true)).toBe(before)
    }),
    { numRuns: runs(5000) },
  )
  expect(read).toBeGreaterThan(1000)
})
