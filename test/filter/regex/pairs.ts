import { RE2JS } from 're2js'
import { compileRegex, plainSearch, regexCompiler } from '../../../src/filter/regex/index.ts'

/** A small generator of random numbers, so that a run can be repeated by its seed. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = (below: number) => number
const pick = <T>(next: Random, list: readonly T[]): T => list[next(list.length)] as T

const LETTERS = [
  'a',
  'b',
  'c',
  'k',
  's',
  'A',
  'K',
  '_',
  '0',
  '7',
  '-',
  ' ',
  '\n',
  'é',
  'É',
  'ß',
  'σ',
  '漢',
  '😀',
  '\u212a',
  '\u017f',
]
const ATOMS = [
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '[[:alpha:]]',
  '[^[:^upper:]]',
  '\\pL',
  '\\PL',
  '\\p{Greek}',
  '\\p{^Lu}',
  '\\P{Han}',
  '\\p{Nd}',
  '[a-c]',
  '[^a]',
  '[^\\n]',
  '[k-s]',
  '[\\w-]',
  '[]a]',
  '[a-]',
  '[\\pLu0]',
  '\\x61',
  '\\x{1F600}',
  '\\101',
  '\\n',
  '\\.',
  '\\Qa.b\\E',
  '[^\\pL]',
  '[^\\W\\d]',
  '[😀-😎]',
  '[\\x00-\\x{10FFFF}]',
  '[^\\x00-\\x{10FFFF}]',
  'abc',
  'svc',
  '\\Q*\\E',
] as const
const ANCHORS = ['^', '$', '\\b', '\\B', '\\A', '\\z', '(?m:^)', '(?m:$)'] as const
const REPEATS = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{2}',
  '{0,2}',
  '{1,}',
  '{,2}',
  '{3}?',
  '{0}',
  '{0,}',
] as const
const OPENINGS = ['(', '(?:', '(?i:', '(?s:', '(?m:', '(?i-s:', '(?U:', '(?P<n>', '(?<m>'] as const
const RUBBISH = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '+',
  '?',
  '|',
  '\\',
  '^',
  '$',
  '(?',
  '(?P<',
  '(?=',
  '(?<!',
  '\\1',
  '\\8',
  '\\C',
  '\\Z',
  '\\p{Foo}',
  '\\p',
  '[z-a]',
  '[[:foo:]]',
  '{1001}',
  '{2,1}',
  '**',
  '(?i',
  '(?-)',
  '\\x',
  '\\x{110000}',
  '\\x{}',
  '[\\b]',
  '\\Q',
  '\\E',
  '(?i)',
  '(?s-i)',
  '-',
  ':',
  '>',
  '[^',
  '[a-\\d]',
  '{10}',
  '{99}',
] as const

/** A random pattern: mostly a right one, sometimes one with pieces that may not belong there. */
export function randomPattern(next: Random): string {
  if (next(8) === 0)
    return Array.from({ length: 1 + next(6) }, () => pick(next, next(3) === 0 ? LETTERS : RUBBISH)).join('')
  const pattern = sequence(next, 3)
  if (next(12) > 0) return pattern
  const at = next(pattern.length + 1)
  return pattern.slice(0, at) + pick(next, RUBBISH) + pattern.slice(at)
}

function sequence(next: Random, depth: number): string {
  const branches = next(4) === 0 ? 2 + next(3) : 1
  return Array.from({ length: branches }, () =>
    Array.from({ length: next(5) }, () => piece(next, depth)).join(''),
  ).join('|')
}

function piece(next: Random, depth: number): string {
  const kind = next(20)
  let text: string
  if (kind < 3 && depth > 0) text = `${pick(next, OPENINGS)}${sequence(next, depth - 1)})`
  else if (kind < 5) text = pick(next, ANCHORS)
  else if (kind === 5) text = pick(next, ['(?i)', '(?m)', '(?s)', '(?U)', '(?-i)'])
  else if (kind < 11) text = pick(next, ATOMS)
  else text = pick(next, LETTERS)
  return next(4) === 0 ? text + pick(next, REPEATS) : text
}

const pieceOf = (next: Random, text: string): string => {
  const start = next(text.length)
  return text.slice(start, start + 1 + next(5))
}

/** A random text over the characters that patterns speak of. */
export const randomText = (next: Random, pattern = ''): string =>
  Array.from({ length: next(3) === 0 ? next(30) : next(8) }, () =>
    // Pieces of the pattern itself bring a text near to a match.
    next(6) === 0 && pattern !== ''
      ? pieceOf(next, pattern)
      : pick(
          next,
          next(9) === 0
            ? [...LETTERS, '.', '*', '\\', 'x', '\r', '\t', '😎', '\u0130', 'ς', 'Σ', 'ﬅ']
            : LETTERS.slice(0, 14),
        ),
  ).join('')

/** What an engine makes of a pattern: its tests of the texts, or why it refuses the pattern. */
const outcome = (compile: () => (text: string) => boolean, texts: readonly string[]): string => {
  let test: (text: string) => boolean
  try {
    test = compile()
  } catch (error) {
    if (!(error instanceof Error) || !/RegexSyntaxError|RE2JSSyntaxException/.test(error.name)) throw error
    // Go quotes what is wrong even where that is nothing; the peer then leaves the quotes out.
    return error.message.replace(/: ``$/, '').replace(/: `(.*)`$/s, ': $1')
  }
  return texts.map((text) => (test(text) ? '1' : '0')).join('')
}

/** The engine with its short ways, and without. */
const searches = { short: compileRegex, plain: regexCompiler(plainSearch) }

/** Where the engine and its peer answer differently. */
interface Disagreement {
  readonly search: string
  readonly pattern: string
  readonly texts: readonly string[]
  readonly own: string
  readonly peer: string
}

const TEXTS_PER_PATTERN = 4

/**
 * Leaves out where the peer is not as Go (asked itself, 1.19): Go looks for `:]` behind a `[:`, which `[:]` is not;
 * two groups may have one name; and a pattern that ends at the `<` of a name has begun none.
 */
const alike = (pattern: string): string => {
  let names = 0
  return pattern
    .replaceAll('[:]', '[]')
    .replace(/\(\?P?<$/, '(?')
    .replace(/(\(\?P?<)[nm]>/g, (_, opening: string) => `${opening}n${names++}>`)
}

/** Compares so many random pairs of a pattern and a text with re2js; says what disagreed and what was covered. */
export function comparePairs(pairs: number, seed: number) {
  const next = random(seed)
  const disagreements: Disagreement[] = []
  const patterns = Math.ceil(pairs / TEXTS_PER_PATTERN)
  let refused = 0
  let found = 0
  for (let done = 0; done < patterns; done += 1) {
    const pattern = alike(randomPattern(next))
    const texts = Array.from({ length: TEXTS_PER_PATTERN }, () => randomText(next, pattern))
    const peer = outcome(() => {
      const compiled = RE2JS.compile(pattern)
      return (text) => compiled.test(text)
    }, texts)
    if (peer.startsWith('error')) refused += 1
    else found += peer.split('1').length - 1
    for (const [search, compile] of Object.entries(searches)) {
      const own = outcome(() => compile(pattern).test, texts)
      if (own !== peer) disagreements.push({ search, pattern, texts, own, peer })
    }
  }
  return { disagreements, patterns, refused, found }
}
