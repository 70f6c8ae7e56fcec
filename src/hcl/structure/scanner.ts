/** The maximum nesting of brackets, templates and blocks: more than people write, and safe for the stack. */
export const deepest = 100

/** A syntax error and its position. */
export class Unreadable extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

/** Most types and many values are no constants: one error serves all, because its stack trace costs more than reading. */
const needsMore = new Unreadable('not a constant', 0)

/** Ends the reading of an expression that needs more than itself. */
export const notConstant = (): never => {
  throw needsMore
}

const code = (character: string): number => character.charCodeAt(0)
const [
  tab,
  lineEnd,
  carriageReturn,
  space,
  quote,
  hash,
  dollar,
  percent,
  star,
  slash,
  less,
  backslash,
  mark,
] = Array.from('\t\n\r "#$%*/<\\\uFEFF', code) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
const [roundOpen, roundClosed, squareOpen, squareClosed, open, closed] = Array.from('()[]{}', code) as [
  number,
  number,
  number,
  number,
  number,
  number,
]

/** The ASCII characters that can continue names and numbers; other letters are looked up in Unicode. */
const kinds = new Uint8Array(128)
const [sign, digit, letter] = [1, 2, 3]
for (const each of '-+*/%!=<>&|?:.,~') kinds[code(each)] = sign
for (const each of '0123456789') kinds[code(each)] = digit
for (const each of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_') kinds[code(each)] = letter

const nameStart = /[\p{ID_Start}_]/u
const nameRest = /[\p{ID_Continue}-]+/uy
const heredocHead = /<<-?([\p{ID_Start}_][\p{ID_Continue}-]*)[ \t]*\r?\n/uy
const plainString = /[^"\\$%\n]+/y
const plainLine = /[^$%\n]+/y
const numberRest = /[\d.eE]*/y

/**
 * Scans a text of the second version of the configuration language: finds the ends of tokens, including templates
 * within strings. Every method advances {@link Scanner.at}.
 */
export class Scanner {
  readonly text: string
  at = 0
  #depth = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.text[this.at] ?? ''
  }

  /** Whether a line ends here, or the text. */
  get isAtLineEnd(): boolean {
    const next = this.text.charCodeAt(this.at)
    return next === lineEnd || next === carriageReturn || this.isAtEnd
  }

  fail(message: string, at = this.at): never {
    throw new Unreadable(message, at)
  }

  /** Runs a parser that may nest. */
  within<T>(work: () => T): T {
    this.#depth += 1
    if (this.#depth > deepest) this.fail(`nested deeper than ${deepest} levels`)
    const result = work()
    this.#depth -= 1
    return result
  }

  /** Restarts at a position after an error. */
  resume(at: number): void {
    this.at = at
    this.#depth = 0
  }

  /** Consumes a match of a sticky pattern at this position and returns it; `undefined` if it does not match. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match) this.at = pattern.lastIndex
    return match ?? undefined
  }

  /** Skips a match of a sticky pattern at this position; false if it does not match. */
  skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    if (!pattern.test(this.text)) return false
    this.at = pattern.lastIndex
    return true
  }

  name(): string | undefined {
    const start = this.at
    return this.#skipName() ? this.text.slice(start, this.at) : undefined
  }

  #skipName(): boolean {
    const { text } = this
    const first = text.charCodeAt(this.at)
    if (
      first < 128
        ? kinds[first] !== letter
        : !nameStart.test(String.fromCodePoint(text.codePointAt(this.at) ?? 0))
    )
      return false
    let at = this.at + (first < 128 ? 1 : 0)
    for (;;) {
      const next = text.charCodeAt(at)
      if (next >= 128) {
        this.at = at
        // Other letters, and all that follows them.
        this.skip(nameRest)
        return true
      }
      const kind = kinds[next]
      if (kind !== letter && kind !== digit && text[at] !== '-') break
      at += 1
    }
    this.at = at
    return true
  }

  /** Consumes a text if it comes next. */
  has(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false
    this.at += expected.length
    return true
  }

  /** Skips spaces and comments and, where they have no meaning, line ends. */
  skipSpace({ lines }: { readonly lines: boolean }): void {
    const { text } = this
    for (;;) {
      const next = text.charCodeAt(this.at)
      if (next === space || next === tab || next === mark) this.at += 1
      else if (next === lineEnd || next === carriageReturn) {
        if (!lines) return
        this.at += 1
      } else if (next === hash) this.#skipLineComment()
      else if (next === slash && text.charCodeAt(this.at + 1) === slash) this.#skipLineComment()
      else if (next === slash && text.charCodeAt(this.at + 1) === star) this.#skipBlockComment()
      else return
    }
  }

  /** Leaves the line end, which may end a construct. */
  #skipLineComment(): void {
    const end = this.text.indexOf('\n', this.at)
    this.at = end < 0 ? this.text.length : end
  }

  #skipBlockComment(): void {
    const end = this.text.indexOf('*/', this.at + 2)
    if (end < 0) this.fail('the comment is not closed')
    this.at = end + 2
  }

  /** Skips a string in quotes, including its templates. */
  skipString(): void {
    const start = this.at
    this.at += 1
    for (;;) {
      this.skip(plainString)
      const next = this.text.charCodeAt(this.at)
      if (next === quote) {
        this.at += 1
        return
      }
      if (next === backslash) this.at += 2
      else if (next === dollar || next === percent) this.#skipSign()
      else this.fail('the string is not closed on its line', start)
    }
  }

  /** Skips a dollar or percent sign, or the whole template sequence that it begins. */
  #skipSign(): void {
    const { text } = this
    const start = this.at
    const which = text.charCodeAt(start)
    // Doubled before a brace, the sign is literal.
    if (text.charCodeAt(start + 1) === which && text.charCodeAt(start + 2) === open) this.at += 3
    else if (text.charCodeAt(start + 1) !== open) this.at += 1
    else {
      this.at += 2
      this.within(() => this.skipUntilClosed(closed, start))
    }
  }

  /** Skips `<<END` and its lines, to the end mark. */
  skipHeredoc(): void {
    const start = this.at
    const tag = this.take(heredocHead)?.[1]
    if (tag === undefined) this.fail('expected the end mark of a heredoc and the end of the line')
    const last = new RegExp(`[ \\t]*${tag}(?=[ \\t]*(?:\\r?\\n|$))`, 'uy')
    for (;;) {
      if (this.skip(last)) return
      for (;;) {
        this.skip(plainLine)
        if (this.isAtEnd) this.fail(`the heredoc is not closed: no line contains only ${tag}`, start)
        if (this.has('\n')) break
        this.#skipSign()
      }
    }
  }

  /** Skips tokens up to and including a closing bracket. */
  skipUntilClosed(closing: number, start: number): void {
    for (;;) {
      this.skipSpace({ lines: true })
      if (this.isAtEnd) this.fail(`there is no "${String.fromCharCode(closing)}" to close this`, start)
      if (this.text.charCodeAt(this.at) === closing) {
        this.at += 1
        return
      }
      this.skipToken()
    }
  }

  /** Skips one token, with everything in its brackets. */
  skipToken(): void {
    const start = this.at
    const next = this.text.charCodeAt(start)
    const closing = closingOf(next)
    if (next === quote) this.skipString()
    else if (next === less && this.text.charCodeAt(start + 1) === less) this.skipHeredoc()
    else if (closing !== 0) {
      this.at += 1
      this.within(() => this.skipUntilClosed(closing, start))
    } else if (next < 128 && kinds[next] === sign) this.at += 1
    else if (next < 128 && kinds[next] === digit) this.skip(numberRest)
    else if (!this.#skipName())
      this.fail(
        next === roundClosed || next === squareClosed || next === closed
          ? `there is no bracket that ${JSON.stringify(this.next)} closes`
          : `${JSON.stringify(this.next)} is not expected here`,
      )
  }
}

/** The bracket that closes an opening one; 0 for anything else. */
const closingOf = (bracket: number): number => {
  if (bracket === open) return closed
  if (bracket === squareOpen) return squareClosed
  return bracket === roundOpen ? roundClosed : 0
}
