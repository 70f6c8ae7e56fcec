import { type RegexFault, RegexSyntaxError } from './error.ts'

/** A position in the pattern being parsed, which advances by code points. */
export class Cursor {
  readonly pattern: string
  at = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  /** Whether the end is reached. */
  get done(): boolean {
    return this.at >= this.pattern.length
  }

  /** The code point here as a string, empty at the end. */
  get here(): string {
    const code = this.pattern.codePointAt(this.at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  /** Reads one code point; empty at the end. */
  next(): string {
    const { here } = this
    this.at += here.length
    return here
  }

  /** Consumes the string if it is next. */
  skip(text: string): boolean {
    const found = this.pattern.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  /** An error about the pattern from a position up to here. */
  fault(fault: RegexFault, start: number): RegexSyntaxError {
    return new RegexSyntaxError(fault, this.pattern.slice(start, this.at), start)
  }
}
