import { expect, test } from 'vitest'
import { Alphabet, EDGE } from '../../../src/filter/regex/alphabet.ts'
import { BitRunner } from '../../../src/filter/regex/bits.ts'
import { RegexSyntaxError } from '../../../src/filter/regex/error.ts'
import { parse } from '../../../src/filter/regex/parse.ts'
import { assemble } from '../../../src/filter/regex/program.ts'
import { simplify } from '../../../src/filter/regex/simplify.ts'
import { Runner } from '../../../src/filter/regex/threads.ts'
import { random, randomPattern, randomText } from './pairs.ts'

/** Steps both ways along a text; says how many places were compared, none where bits do not take the pattern. */
function compare(pattern: string, text: string): number {
  const program = assemble(simplify(parse(pattern)))
  const alphabet = new Alphabet(program.sets, program.asserts)
  const runner = new Runner(program, alphabet)
  const bits = BitRunner.of(program, runner, alphabet)
  if (bits === undefined) return 0
  const symbols = Array.from(text, (character) => alphabet.symbolOf(character.codePointAt(0) ?? 0))
  let threads = runner.start(EDGE)
  if (threads.matched) return 0
  bits.start(threads)
  let compared = 0
  for (const symbol of symbols) {
    threads = runner.step(threads, symbol)
    const matched = bits.step(symbol)
    expect({ pattern, text, compared, matched }).toEqual({
      pattern,
      text,
      compared,
      matched: threads.matched,
    })
    compared += 1
    if (matched) return compared
    expect(runner.atEnd(bits.threads)).toBe(runner.atEnd(threads))
  }
  return compared
}

test('stepping by bits is stepping place by place', () => {
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
