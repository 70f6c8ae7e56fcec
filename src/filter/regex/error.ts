/** The faults of a pattern, in Go's words. */
export type RegexFault =
  | 'expression nests too deeply'
  | 'expression too large'
  | 'invalid character class range'
  | 'invalid escape sequence'
  | 'invalid named capture'
  | 'invalid nested repetition operator'
  | 'invalid or unsupported Perl syntax'
  | 'invalid repeat count'
  | 'missing argument to repetition operator'
  | 'missing closing )'
  | 'missing closing ]'
  | 'trailing backslash at end of expression'
  | 'unexpected )'

/**
 * Says why a pattern is not valid RE2 syntax, in the words of Go's `regexp` package (``error parsing regexp: missing
 * closing ): `(edge` ``), and where in the pattern.
 */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError'
  /** The fault. */
  readonly fault: RegexFault
  /** The invalid part of the pattern, as Go quotes it. */
  readonly excerpt: string
  /** Its offset in the pattern, in UTF-16 code units from 0. */
  readonly offset: number

  constructor(fault: RegexFault, excerpt: string, offset: number) {
    super(`error parsing regexp: ${fault}: \`${excerpt}\``)
    this.fault = fault
    this.excerpt = excerpt
    this.offset = offset
  }
}
