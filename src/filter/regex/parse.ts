import { alternate, assert, concat, group, type Node, repeat, set } from './ast.ts'
import { readClass, readEscapedClass } from './class.ts'
import { Cursor } from './cursor.ts'
import { RegexSyntaxError } from './error.ts'
import { readEscape } from './escape.ts'
import { foldClosure } from './folding.ts'
import { complement, EVERYTHING } from './ranges.ts'

/** The largest count of a repeat, and of nested repeats. */
const MAX_REPEAT = 1000
/** The maximum nesting depth of a pattern. */
const MAX_HEIGHT = 1000
/**
 * The maximum number of instructions of a pattern once its repeats are expanded. Go counts the same way but allows some
 * millions; at that size one pattern of 8 KiB would take a hundred megabytes.
 */
export const MAX_SIZE = 100_000

/** The flags of `(?imsU)`. `U`, laziness, is accepted but cannot change whether there is a match. */
interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

/** A group that is not closed yet. */
interface Open {
  readonly start: number
  readonly captures: boolean
  readonly outerFlags: Flags
  readonly branches: Node[]
  items: Node[]
}

const NOT_NEWLINE = /* @__PURE__ */ set(/* @__PURE__ */ complement([10, 10]))
const ANY = /* @__PURE__ */ set(EVERYTHING)

/**
 * Parses a pattern in RE2 syntax as Go's `regexp` does; throws a `RegexSyntaxError` in Go's words.
 *
 * Open groups are kept in a list rather than on the call stack, so that no nesting depth can overflow it.
 */
export function parse(pattern: string, ignoreCase = false): Node {
  const cursor = new Cursor(pattern)
  const open: Open[] = []
  let flags: Flags = { i: ignoreCase, m: false, s: false }
  let top: Open = { start: 0, captures: false, outerFlags: flags, branches: [], items: [] }
  let repeatStart = -1

  const literal = (code: number): Node => set(flags.i ? foldClosure([code, code]) : [code, code])
  const enter = (start: number, captures: boolean, inner: Flags): void => {
    open.push(top)
    top = { start, captures, outerFlags: flags, branches: [], items: [] }
    flags = inner
  }
  const leave = (): Node => {
    const body = alternate([...top.branches, concat(top.items)])
    return checked(top.captures ? group(body) : body, pattern)
  }

  while (!cursor.done) {
    const start = cursor.at
    const count = readCount(cursor)
    if (count !== undefined) {
      cursor.skip('?')
      if (repeatStart >= 0) throw cursor.fault('invalid nested repetition operator', repeatStart)
      const last = top.items.pop()
      if (last === undefined) throw cursor.fault('missing argument to repetition operator', start)
      const node = checked(repeat(last, ...count), pattern)
      if (node.copies > MAX_REPEAT && Math.max(...count.filter(Number.isFinite)) > 1)
        throw cursor.fault('invalid repeat count', start)
      top.items.push(node)
      repeatStart = start
      continue
    }
    repeatStart = -1
    const special = cursor.here
    if (special === '(') {
      if (cursor.pattern.startsWith('(?', start)) {
        const read = readFlags(cursor, flags)
        if (read.opens) enter(start, read.captures, read.flags)
        else flags = read.flags
      } else {
        cursor.next()
        enter(start, true, flags)
      }
    } else if (special === ')') {
      const outer = open.pop()
      if (outer === undefined) throw new RegexSyntaxError('unexpected )', pattern, start)
      cursor.next()
      const node = leave()
      flags = top.outerFlags
      top = outer
      top.items.push(node)
    } else if (special === '|') {
      cursor.next()
      top.branches.push(concat(top.items))
      top.items = []
    } else if (special === '[') top.items.push(set(readClass(cursor, flags.i)))
    else if (special === '\\') readBackslash(cursor, flags, top.items, literal)
    else {
      cursor.next()
      if (special === '^') top.items.push(assert(flags.m ? 'line-start' : 'text-start'))
      else if (special === '$') top.items.push(assert(flags.m ? 'line-end' : 'text-end'))
      else if (special === '.') top.items.push(flags.s ? ANY : NOT_NEWLINE)
      else top.items.push(literal(special.codePointAt(0) ?? 0))
    }
  }
  if (open.length > 0) throw new RegexSyntaxError('missing closing )', pattern, top.start)
  return leave()
}

function checked(node: Node, pattern: string): Node {
  if (node.size > MAX_SIZE) throw new RegexSyntaxError('expression too large', pattern, 0)
  if (node.height > MAX_HEIGHT) throw new RegexSyntaxError('expression nests too deeply', pattern, 0)
  return node
}

/** Reads `*`, `+`, `?` or `{2,5}`; undefined, with nothing consumed, if there is none here (`{,2}` is literal). */
function readCount(cursor: Cursor): readonly [number, number] | undefined {
  if (cursor.skip('*')) return [0, Infinity]
  if (cursor.skip('+')) return [1, Infinity]
  if (cursor.skip('?')) return [0, 1]
  if (cursor.here !== '{') return undefined
  const start = cursor.at
  COUNT.lastIndex = start
  const found = COUNT.exec(cursor.pattern)
  if (found === null) return undefined
  const [text, low, comma, high] = found
  cursor.at += text.length
  const min = Number(low)
  const max = comma === undefined ? min : high === '' ? Infinity : Number(high)
  if (min > MAX_REPEAT || (max > MAX_REPEAT && max !== Infinity) || min > max)
    throw cursor.fault('invalid repeat count', start)
  return [min, max]
}

const COUNT = /\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*|))?\}/y

// At the end of the pattern, the fault is not the name.
const NAMED = /\(\?P?<(?!$)/y

interface FlagsRead {
  readonly flags: Flags
  readonly opens: boolean
  readonly captures: boolean
}

/**
 * Reads what follows `(?`: a name (which several groups may have), flags for the rest of the group, or flags with a
 * group.
 */
function readFlags(cursor: Cursor, before: Flags): FlagsRead {
  const start = cursor.at
  NAMED.lastIndex = start
  const opening = NAMED.exec(cursor.pattern)
  if (opening !== null) {
    const nameStart = start + opening[0].length
    const end = cursor.pattern.indexOf('>', nameStart)
    cursor.at = end < 0 ? cursor.pattern.length : end + 1
    const name = cursor.pattern.slice(nameStart, Math.max(end, nameStart))
    if (!/^[A-Za-z0-9_]+$/.test(name)) throw cursor.fault('invalid named capture', start)
    return { flags: before, opens: true, captures: true }
  }
  cursor.at += 2
  const flags = { ...before }
  let value = true
  let seen = true
  for (;;) {
    const letter = cursor.next()
    if (letter === 'i' || letter === 'm' || letter === 's') flags[letter] = value
    if (letter === '-' && value) {
      value = false
      seen = false
    } else if ((letter === ':' || letter === ')') && seen)
      return { flags, opens: letter === ':', captures: false }
    else if (letter !== '' && 'imsU'.includes(letter)) seen = true
    else throw cursor.fault('invalid or unsupported Perl syntax', start)
  }
}

const ASSERTIONS = { A: 'text-start', z: 'text-end', b: 'word', B: 'not-word' } as const

/** Reads what follows a backslash, outside brackets. */
function readBackslash(cursor: Cursor, flags: Flags, items: Node[], literal: (code: number) => Node): void {
  const start = cursor.at
  const letter = cursor.pattern[start + 1]
  if (letter === 'A' || letter === 'z' || letter === 'b' || letter === 'B') {
    cursor.at += 2
    items.push(assert(ASSERTIONS[letter]))
  } else if (letter === 'Q') {
    const end = cursor.pattern.indexOf('\\E', start + 2)
    cursor.at = end < 0 ? cursor.pattern.length : end + 2
    for (const character of cursor.pattern.slice(start + 2, end < 0 ? undefined : end))
      items.push(literal(character.codePointAt(0) ?? 0))
  } else {
    const named = readEscapedClass(cursor, flags.i)
    items.push(named === undefined ? literal(readEscape(cursor)) : set(named))
  }
}
