import type { Advice } from './advice.ts'
import type { Value } from './ast.ts'
import type { Misfit } from './coerce.ts'
import { FilterError } from './error.ts'
import type { Read, Scalars } from './scalars.ts'

/** What reading a literal needs to know of its expression. */
export interface LiteralContext {
  readonly source: string
  readonly scalars: Scalars
  readonly advise?: Advice | undefined
}

/** The text of a value, read as each scalar kind the first time a field of that kind meets it. */
export class Literal {
  readonly text: string
  readonly scalars: Scalars
  readonly #node: Value
  readonly #context: LiteralContext
  readonly #known: Partial<Record<keyof Scalars, Read>> = {}

  constructor(node: Value, context: LiteralContext) {
    this.text = node.text
    this.scalars = context.scalars
    this.#node = node
    this.#context = context
  }

  /** The text as a value of that kind, or why it is none. */
  read(kind: keyof Scalars): Read {
    this.#known[kind] ??= this.scalars[kind]?.read(this.text) ?? 'syntax'
    return this.#known[kind]
  }

  /** The text as a value of that kind; throws where it is none. */
  value(kind: keyof Scalars): Exclude<Read, Misfit> {
    const read = this.read(kind)
    if (typeof read !== 'string') return read
    const { source, advise } = this.#context
    const scalar = this.scalars[kind]
    const { advice = '', suggestion } = (scalar && advise?.value(this.text, scalar)) || {}
    throw new FilterError(
      'coercion',
      `error getting match value in expression: ${JSON.stringify(this.text)} is ${read === 'range' ? 'out of the range of' : 'not'} ${scalar?.wanted ?? kind}${advice}`,
      source,
      this.#node,
      suggestion,
    )
  }
}
