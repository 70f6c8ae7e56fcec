// Types of the parser that `npm run gen` writes beside this file.
import type { Expression, Range } from '../ast.ts'

/** What the grammar asks of its caller. */
export interface ParserOptions {
  readonly bexpr: boolean
  /** Whether what `standard` added later is read, too. */
  readonly extended: boolean
  readonly unquote: (raw: string, error: (message: string) => never) => string
  readonly pointerPath: (text: string) => readonly string[] | null
  /** Whether a text that begins with `now` is a moment. */
  readonly isMoment: (text: string) => boolean
  /** Throws for a parameter that is not declared. */
  readonly parameter: (name: string, at: Range) => void
  /** One level deeper (1), at a place, or out of it (-1). Returns `true`, or throws. */
  readonly nest: (levels: 1 | -1, at?: number) => boolean
  /** 1: a text that cannot be read is not asked what was expected, which is faster; 0: it is. */
  readonly peg$silentFails?: 0 | 1
}

/** One of the things that could have stood where reading ended. */
export type Expectation =
  | { readonly type: 'literal'; readonly text: string }
  | { readonly type: 'other'; readonly description: string }
  | { readonly type: 'class' | 'any' | 'end' }

/** Thrown for a text that cannot be read. */
export class SyntaxError extends globalThis.SyntaxError {
  /** `null` where the grammar has a message of its own. */
  readonly expected: readonly Expectation[] | null
  readonly location: { readonly start: { readonly offset: number }; readonly end: { readonly offset: number } }
}

/** What was read of a text, without an error. */
export interface Reading {
  readonly peg$success: boolean
  /** The tree, if all of the text was read. */
  readonly peg$result: Expression
  /** How far the tree reaches. */
  readonly peg$currPos: number
  /** The furthest place at which something else was expected; the start with `peg$silentFails`. */
  readonly peg$maxFailPos: number
  /** Throws what was expected; `undefined` if all was read. */
  readonly peg$throw: (() => never) | undefined
}

export function parse(text: string, options: ParserOptions): Expression
export function parse(text: string, options: ParserOptions & { readonly peg$library: true }): Reading
