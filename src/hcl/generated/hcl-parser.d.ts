// Types of the parser that `npm run gen` writes beside this file.
import type { Body, Position } from '../ast.ts'

/** What the grammar asks of its caller. */
export interface ParserOptions {
  /** How deep braces and brackets may nest. */
  readonly depth: number
  /** The lines of the text that stand before what is read. */
  readonly linesBefore: number
  readonly startRule?: 'Document' | 'Part'
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
  /** The character where reading ended, `null` at the end of the text. */
  readonly found: string | null
  readonly location: { readonly start: Position }
}

export function parse(text: string, options: ParserOptions): Body
