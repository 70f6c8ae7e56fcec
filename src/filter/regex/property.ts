import { complement, EVERYTHING, LAST_CODE_POINT, type Ranges } from './ranges.ts'

/**
 * Unicode properties, read from the host: its own regular expressions are applied to ranges of code points, which needs
 * no table in this package and follows the host's version of Unicode. A property is read once.
 */
const known = new Map<string, Ranges>()

/** The general categories of RE2 syntax. */
const CATEGORIES = /^(?:C[cfnos]?|L[Clmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/

/** Scripts whose full names have four letters; every other four-letter name is an abbreviation, which is refused. */
const SHORT_SCRIPTS = /^(?:Ahom|Cham|Kawi|Lisu|Newa|Thai|Toto)$/

/**
 * The code points of a category or script by its name in RE2 syntax (`Lu`, `Greek`, `Any`); undefined if there is none.
 */
export function property(name: string): Ranges | undefined {
  if (name === 'Any') return EVERYTHING
  if (name === 'ASCII') return [0, 0x7f]
  if (name === 'Assigned') return complement(hostProperty('Cn'))
  if (CATEGORIES.test(name)) return hostProperty(name)
  if (!/^[A-Z][A-Za-z_]+$/.test(name) || (name.length === 4 && !SHORT_SCRIPTS.test(name))) return undefined
  try {
    return hostProperty(`Script=${name}`)
  } catch {
    return undefined
  }
}

/** The code points of a property by the host's name for it. */
export function hostProperty(name: string): Ranges {
  const before = known.get(name)
  if (before !== undefined) return before
  const ranges = scan(new RegExp(`\\p{${name}}`, 'u'), new RegExp(`\\p{${name}}+`, 'gu'))
  known.set(name, ranges)
  return ranges
}

const BLOCK = 0x1000

function scan(one: RegExp, run: RegExp): Ranges {
  const ranges: number[] = []
  const add = (first: number, last: number): void => {
    if (ranges.at(-1) === first - 1) ranges[ranges.length - 1] = last
    else ranges.push(first, last)
  }
  for (let start = 0; start <= LAST_CODE_POINT; start += BLOCK) {
    const plane = start >> 16
    if (plane > 3 && plane !== 14) {
      // Planes 4–13 are empty and 15–16 private: uniform, except for the two noncharacters at the end.
      if (one.test(String.fromCodePoint(start))) add(start, start + 0xfffd)
      if (one.test(String.fromCodePoint(start + 0xffff))) add(start + 0xfffe, start + 0xffff)
      start += 0x10000 - BLOCK
    } else if (start === 0xd000) {
      scanBlock(run, start, 0x800, add)
      // Adjacent surrogates would form pairs.
      if (one.test('\ud800')) add(0xd800, 0xdfff)
    } else scanBlock(run, start, BLOCK, add)
  }
  return ranges
}

function scanBlock(run: RegExp, start: number, length: number, add: (first: number, last: number) => void) {
  const wide = start > 0xffff ? 1 : 0
  for (const found of blockText(start, length).matchAll(run)) {
    const first = start + (found.index >> wide)
    add(first, first + (found[0].length >> wide) - 1)
  }
}

/** The code points of a block, concatenated. */
function blockText(start: number, length: number): string {
  const wide = start > 0xffff
  const units = new Uint16Array(wide ? 2 * length : length)
  for (let index = 0; index < length; index += 1) {
    const code = start + index
    if (wide) {
      units[2 * index] = 0xd800 | ((code - 0x10000) >> 10)
      units[2 * index + 1] = 0xdc00 | (code & 0x3ff)
    } else units[index] = code
  }
  return Reflect.apply(String.fromCharCode, undefined, units)
}
