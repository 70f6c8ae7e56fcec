import { expect, test } from 'vitest'
import { Alphabet, EDGE, NEWLINE, WORD } from '../../../src/filter/regex/alphabet.ts'
import { RegexSyntaxError } from '../../../src/filter/regex/error.ts'
import { parse } from '../../../src/filter/regex/parse.ts'
import { ASSERT, assemble, BITS, MATCH, type Program, SPLIT } from '../../../src/filter/regex/program.ts'
import { simplify } from '../../../src/filter/regex/simplify.ts'
import { Runner } from '../../../src/filter/regex/threads.ts'
import { random, randomPattern, randomText } from './pairs.ts'

/** Every instruction that is reached from some without reading, where both neighbours are known. */
function reached({ op, arg, next }: Program, from: Iterable<number>, before: number, after: number) {
  const holds = (bit: number) =>
    (bit === BITS['text-start'] && before === EDGE) ||
    (bit === BITS['text-end'] && after === EDGE) ||
    (bit === BITS['line-start'] && (before === EDGE || before === NEWLINE)) ||
    (bit === BITS['line-end'] && (after === EDGE || after === NEWLINE)) ||
    (bit === BITS.word && (before === WORD) !== (after === WORD)) ||
    (bit === BITS['not-word'] && (before === WORD) === (after === WORD))
  const found = new Set(from)
  // What is added while it is walked is walked too.
  for (const at of found) {
    if (op[at] === SPLIT) found.add(arg[at] ?? 0).add(next[at] ?? 0)
    else if (op[at] === ASSERT && holds(arg[at] ?? 0)) found.add(next[at] ?? 0)
  }
  return found
}

/** Steps along a text, and beside it one instruction after the other; says how many steps were compared. */
function compare(pattern: string, text: string): number {
  const program = assemble(simplify(parse(pattern)))
  const { op, arg, next, start } = program
  const alphabet = new Alphabet(program.sets, program.asserts)
  const runner = new Runner(program, alphabet)
  let threads = runner.start(EDGE)
  let plain = new Set([start])
  let before = EDGE
  let compared = 0
  const agree = () => {
    const matched = [...reached(program, plain, before, EDGE)].some((at) => op[at] === MATCH)
    const found = runner.atEnd(threads)
    expect({ pattern, text, compared, matched: found }).toEqual({ pattern, text, compared, matched })
  }
  agree()
  for (const character of text) {
    if (threads.matched) break
    const symbol = alphabet.symbolOf(character.codePointAt(0) ?? 0)
    const kind = alphabet.kindOf(symbol)
    const now = reached(program, plain, before, kind)
    if ([...now].some((at) => op[at] === MATCH)) break
    const members = alphabet.membersOf(symbol)
    const read = [...now].filter((at) => op[at] === 0 && members[arg[at] ?? 0] === 1)
    plain = new Set([start, ...read.map((at) => next[at] ?? 0)])
    before = kind
    threads = runner.step(threads, symbol, runner.none())
    compared += 1
    agree()
  }
  return compared
}

test('stepping all instructions together equals stepping them one by one', () => {
  const next = random(20_260_102)
  let compared = 0
  for (let round = 0; round < 4000; round += 1) {
    const pattern = randomPattern(next)
    try {
      compared += compare(pattern, randomText(next, pattern))
    } catch (error) {
      if (!(error instanceof RegexSyntaxError)) throw error
    }
  }
  expect(compared).toBeGreaterThan(4000)
})

test.each([
  'a[ab]{40}c',
  '(a[ab]{30}|b[ab]{31}){2}c$',
  '(a|b)*a(a|b){33}(c|d)',
  '(?:a?b){70}c',
  '(ab|ba|a.b){20}c',
  'x|(a*b*){9}c',
  '\\ba[ab]{40}c',
  '(?m)^b(a|b){33}$|(?m:^a[ab]{20}b$)',
  '(\\ba|\\Bb|a\\B){33}c\\b',
])('also across words of bits: %s', (pattern) => {
  const next = random(5)
  for (let round = 0; round < 20; round += 1) {
    const text = Array.from({ length: 150 }, () => 'aaabbbc-\n'[next(9)]).join('')
    expect(compare(pattern, text)).toBeGreaterThan(0)
  }
})
