import { brand, brandOf, isBranded } from './brand.ts'

/**
 * A refusal that the domain foresees. Plain data: safe to log, compare and serialise.
 *
 * @remarks
 * `code` is a snake_case literal, unique in the package. `message` is written for the user who made the mistake.
 * Neither `message` nor `detail` ever contains a secret.
 */
export interface Refusal<Code extends string = string> {
  /** The kind of refusal: a stable, snake_case literal to switch on. */
  readonly code: Code
  /** What was wrong, where, and what would be right. */
  readonly message: string
  /** Facts a program may use: plain JSON, never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/**
 * The outcome of a command that was refused: nothing changed.
 */
export interface Refused<Code extends string = string> {
  readonly ok: false
  /** Why the command was refused. */
  readonly refusal: Refusal<Code>
}

/**
 * The result of a service method: a value, or a refusal. {@link unwrap} turns a refusal into an exception.
 */
export type Answer<Value, Code extends string = never> =
  | { readonly ok: true; readonly value: Value }
  | Refused<Code>

/**
 * Refuses a command. The code is inferred as a literal, so that a command's return type lists its refusals.
 *
 * @example
 * ```ts
 * import { refuse } from 'plinth'
 *
 * const outcome = refuse('cas_mismatch', 'the secret is at version 3, not 2', { current: 3 })
 * outcome.refusal.code // 'cas_mismatch'
 * ```
 */
export const refuse = <const Code extends string>(
  code: Code,
  message: string,
  detail?: Readonly<Record<string, unknown>>,
): Refused<Code> => ({
  ok: false,
  refusal: detail === undefined ? { code, message } : { code, message, detail },
})

const mark = /* @__PURE__ */ brandOf('DomainError')

/**
 * The error that {@link unwrap} throws for a refusal, for callers who prefer exceptions.
 *
 * @example
 * ```ts
 * import { DomainError, refuse, unwrap } from 'plinth'
 *
 * try {
 *   unwrap(refuse('sealed', 'unseal the service first', { missing: 2 }))
 * } catch (error) {
 *   if (!(error instanceof DomainError)) throw error
 *   error.code // 'sealed'
 *   error.refusal.detail // { missing: 2 }
 * }
 * ```
 */
export class DomainError<Code extends string = string> extends Error {
  override readonly name = 'DomainError'
  /** The refusal itself, unchanged. */
  readonly refusal: Refusal<Code>

  constructor(refusal: Refusal<Code>) {
    super(refusal.message)
    brand(DomainError.prototype, mark)
    this.refusal = refusal
  }

  /** Also true for errors of another copy of the package in this process. */
  static override [Symbol.hasInstance](value: unknown): value is DomainError {
    // biome-ignore lint/complexity/noThisInStatic: a subclass asks for itself
    return isBranded(this, DomainError, mark, value)
  }

  /** The refusal's code, for `switch`. */
  get code(): Code {
    return this.refusal.code
  }

  /** The error as data: the output of `JSON.stringify`. */
  toJSON(): Refusal<Code> & { readonly name: string } {
    return { name: this.name, ...this.refusal }
  }
}

/** Whether a value is a refusal, if it may also be a result. */
export const isRefused = <R extends Refused<string>>(value: R | object): value is R =>
  'ok' in value && value.ok === false
