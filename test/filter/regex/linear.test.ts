import { describe, expect, test } from 'vitest'
import { Automaton, MAX_KEPT, MAX_TRANSITIONS } from '../../../src/filter/regex/automaton.ts'
import { compileRegex } from '../../../src/filter/regex/index.ts'
import { parse } from '../../../src/filter/regex/parse.ts'
import { assemble } from '../../../src/filter/regex/program.ts'
import { simplify } from '../../../src/filter/regex/simplify.ts'
import { random } from './pairs.ts'

const automaton = (pattern: string) => {
  const program = assemble(simplify(parse(pattern)))
  return { automaton: new Automaton(program), instructions: program.op.length }
}

/** Patterns and texts that take a backtracking engine exponential or polynomial time. */
const CATASTROPHES: readonly (readonly [pattern: string, unit: string, end: string])[] = [
  ['(a+)+$', 'a', '!'],
  ['^(a+)+$', 'a', '!'],
  ['^(a|aa)+$', 'a', 'b'],
  ['^(a|a?)+$', 'a', 'b'],
  ['(.*a){12}$', 'a', 'b'],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a', ''],
  [
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a',
    '!',
  ],
  ['(x+x+)+y', 'x', ''],
  ['^(\\w+\\s?)*$', 'word ', '!'],
  ['\\s+$', ' ', 'x'],
  ['^.*=.*;$', '=', ''],
  ['(\\b\\w+\\b\\s*)+z$', 'ab ', ''],
  ['(?i)(k|K)*s$', 'k', 'b'],
]

describe('no text takes more than linear work', () => {
  test.each(CATASTROPHES)('%s', (pattern, unit, end) => {
    const text = (times: number) => unit.repeat(times) + end
    const work = (times: number): number => {
      const run = automaton(pattern).automaton
      expect(run.test(text(times))).toBe(false)
      return run.stats.work
    }
    // Every state is known after a few units: a hundred times the text adds no work but its table reads.
    expect(work(10_000)).toBe(work(100))
  })

  test.each([
    ['a[ab]{40}c', 'ab'],
    ['a[ab]{600}(c|\\bd)', 'ab'],
    ['a[ab]{40}(c|\\bd)', 'ab'],
    ['\\b[ab -]{40}c', 'aaabbb -'],
    ['(?m)^[ab -]{40}c', 'aaabbb -\n'],
  ])('where states never repeat, places are stepped many at once: %s', (pattern, letters) => {
    const next = random(7)
    for (const length of [2000, 200_000]) {
      const text = Array.from({ length }, () => letters[next(letters.length)]).join('')
      const { automaton: run, instructions } = automaton(pattern)
      expect(run.test(text)).toBe(false)
      expect(run.stats.work).toBeLessThan((instructions / 10) * length)
    }
  })

  test('a text that defeats the memory is answered as a short one is', () => {
    const next = random(8)
    const text = Array.from({ length: 50_000 }, () => 'ab'[next(2)]).join('')
    const { automaton: run } = automaton('a[ab]{40}c')
    expect(run.test(`${text}a${'b'.repeat(40)}c`)).toBe(true)
    expect(run.test(`${text}d${'b'.repeat(40)}c`)).toBe(false)
    expect(run.test(`a${'b'.repeat(40)}c`)).toBe(true)
  })

  test('a megabyte is searched', () => {
    const text = `${'svc-12-db '.repeat(100_000)}svc-7-api`
    expect(compileRegex('svc-[0-9]+-(api|web)$').test(text)).toBe(true)
    expect(compileRegex('svc-[0-9]+-(api|web)z').test(text)).toBe(false)
  })
})

describe('memory is bounded for all texts', () => {
  test.each([
    ['states that never repeat', 'a[ab]{12,40}c|b[ab]{9}d', 'ab', true],
    ['many waiting instructions', '(a[ab]{300}){3}c', 'ab', true],
    [
      'a wide alphabet',
      `[${Array.from({ length: 900 }, (_, i) => `\\x{${(0x4e00 + 2 * i).toString(16)}}`).join('')}]\\PL{20}x|${Array.from({ length: 400 }, (_, i) => `\\x{${(0x4e00 + 2 * i).toString(16)}}[^a]{9}`).join('|')}q`,
      '一丂丄丆万丈丌下不丏丐丑丒专且丕',
      false,
    ],
  ])('%s', (_, pattern, letters, fills) => {
    const { automaton: run } = automaton(pattern)
    const next = random(9)
    for (let round = 0; round < 40; round += 1) {
      run.test(Array.from({ length: 500 }, () => letters[next(letters.length)]).join(''))
      expect(run.stats.transitions).toBeLessThanOrEqual(MAX_TRANSITIONS)
      expect(run.stats.kept).toBeLessThanOrEqual(MAX_KEPT)
    }
    expect(run.stats.flushes > 0).toBe(fills)
  })
})

describe('patterns of 8 KiB compile and run', () => {
  test.each<[what: string, pattern: string, finds: boolean]>([
    ['one text', 'x'.repeat(8192), false],
    ['alternatives', Array.from({ length: 1024 }, (_, i) => `name${i}`).join('|'), false],
    ['stars in one another', `^${'('.repeat(450)}a${'*)'.repeat(450)}`, true],
    ['groups without names', `${'(?:'.repeat(2000)}a${')'.repeat(2000)}`, true],
    ['classes', '[^a-f]'.repeat(1300), false],
    ['classes of Unicode', '(?i)[\\pL\\d]'.repeat(600), false],
    ['repeats side by side', '(?:a?b){99}'.repeat(300), false],
    [
      'sets that differ',
      Array.from({ length: 1400 }, (_, i) => `[${String.fromCodePoint(0x4e00 + i)}a-z]`).join(''),
      false,
    ],
  ])('%s', (_, pattern, finds) => {
    expect(compileRegex(pattern).test(`b${'ab'.repeat(200)}é漢\n`)).toBe(finds)
  })
})
