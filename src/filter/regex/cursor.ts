import { type RegexFault, RegexSyntaxError } from './error.ts'

/** A place in a pattern that is being read, code point by code point. */
export class Cursor {
  readonly pattern: string
  at = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }

  /** Whether everything is read. */
  get done(): boolean {
    return this.at >= this.pattern.length
  }

  /** The code point here as text, empty at the end. */
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

  /** Reads the text if it is here. */
  skip(text: string): boolean {
    const found = this.pattern.startsWith(text, this.at)
    if (found) this.at += text.length
    return found
  }

  /** An error about the pattern from a place up to here. */
  fault(fault: RegexFault, start: number): RegexSyntaxError {
    return new RegexSyntaxError(fault, this.pattern.slice(start, this.at), start)
  }
}
