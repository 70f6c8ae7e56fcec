import type { Advice } from '../advising/advice.ts'
import type { Value } from '../ast.ts'
import { FilterError } from '../error.ts'
import type { Misfit } from '../kinds/coerce.ts'
import { day, momentOffset, startOfDay } from '../kinds/moment.ts'
import { type Parameters, type Placeholder, placeholderOf } from '../kinds/parameters.ts'
import type { Read, Scalars } from '../kinds/scalars.ts'

/** The context for reading a literal. */
export interface LiteralContext {
  readonly source: string
  readonly standard: boolean
  readonly scalars: Scalars
  readonly advise?: Advice | undefined
  /** The clock of `now`, in milliseconds since 1970. */
  readonly now: () => number
  /** The kinds of the parameters that may still be bound, while an expression is checked without their values. */
  readonly placeholders?: Parameters | undefined
}

/** The literal, parsed as each scalar kind when a field of that kind first needs it. */
export class Literal {
  readonly text: string
  readonly scalars: Scalars
  readonly node: Value
  readonly #context: LiteralContext
  readonly #known: Partial<Record<keyof Scalars, Read>> = {}
  /** Its distance before now, if it is relative. */
  readonly #offset: number | undefined
  /** The placeholder for the value of a parameter. */
  readonly #placeholder: Placeholder | undefined

  constructor(node: Value, context: LiteralContext) {
    this.node = node
    this.#placeholder = node.form === 'parameter' ? placeholderOf(node.text, context.placeholders) : undefined
    this.text = this.#placeholder?.sample ?? node.text
    this.scalars = context.scalars
    this.#offset = node.form === 'moment' ? momentOffset(node.text) : undefined
    this.#context = context
  }

  /** The text as a value of that kind, or why it is not valid. */
  read(kind: keyof Scalars): Read {
    const scalar = this.scalars[kind]
    if (this.#offset !== undefined && scalar?.scale === 'moment') {
      const us = this.#context.now() * 1000 + this.#offset
      return scalar.fromScale?.(us) ?? us
    }
    this.#known[kind] ??= this.#read(kind)
    return this.#known[kind]
  }

  #read(kind: keyof Scalars): Read {
    const scalar = this.scalars[kind]
    if (this.#placeholder !== undefined && !this.#placeholder.fits(kind)) return 'syntax'
    const isDay = this.#context.standard && scalar?.scale === 'moment' && day.test(this.text)
    return scalar?.read(isDay ? startOfDay(this.text) : this.text) ?? 'syntax'
  }

  /** Converts the text to a value of that kind; throws if it is not valid. */
  value(kind: keyof Scalars): Exclude<Read, Misfit> {
    const read = this.read(kind)
    if (typeof read !== 'string') return read
    const { source, advise } = this.#context
    const scalar = this.scalars[kind]
    const wanted = scalar?.wanted ?? kind
    if (this.#placeholder !== undefined) {
      throw new FilterError(
        'type',
        `the parameter $${this.node.text} is ${this.#placeholder.name}, but this field needs ${wanted}`,
        source,
        this.node,
      )
    }
    const { advice = '', suggestion } = (scalar && advise?.value(this.text, scalar)) || {}
    throw new FilterError(
      'coercion',
      `${JSON.stringify(this.text)} is ${read === 'range' ? 'out of the range of' : 'not'} ${wanted}${advice}`,
      source,
      this.node,
      suggestion,
    )
  }

  /** Whether it moves with the clock. */
  get moves(): boolean {
    return this.#offset !== undefined
  }

  /** A time as RFC 3339: as written, if it was; a date as its midnight, and a relative moment as of now. */
  get time(): string {
    if (this.#offset !== undefined) return new Date(this.#context.now() + this.#offset / 1000).toISOString()
    return day.test(this.text) ? startOfDay(this.text) : this.text
  }
}
