/**
 * Something the person at the terminal can put right: it is printed as one line, without a stack, and the
 * process exits with 1 (2 for a wrong command line).
 */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
