/**
 * An error that the user can fix: it is printed as one line, without a stack, and the process exits with 1 (2 for a
 * wrong command line, or another code that the command documents).
 */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
