import type { Range } from '../ast.ts'
import { FilterError } from '../error.ts'

/**
 * The budget of work for one row. Only what can repeat counts: one step for each visited element, for each comparison
 * in each iteration of a quantifier, for each character that a pattern reads, and for every eighth that another search
 * reads. Both back ends count alike, so that they refuse the same rows.
 */
export class Work {
  /** The remaining budget for this row. Generated code decrements it directly and calls {@link over}. */
  left: number
  readonly steps: number
  readonly #source: string

  constructor(steps: number, source: string) {
    this.left = steps
    this.steps = steps
    this.#source = source
  }

  /** Starts a row. */
  begin(): void {
    this.left = this.steps
  }

  spend(steps: number, on: Range): void {
    this.left -= steps
    if (this.left < 0) this.over(on)
  }

  /** Throws the error for a row that takes too much work, at the part that exceeded the budget. */
  over({ start, end }: Range): never {
    const text = this.#source.slice(start, end)
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
    throw new FilterError(
      'limit',
      `one row takes more than ${this.steps} steps, exceeded at \`${shown}\``,
      this.#source,
      { start, end },
    )
  }
}

/**
 * The default lets any expression read a row of 1 MB, and stops a row after about 100 ms.
 */
export const defaultSteps = 1_200_000

/** Searching texts below this length costs no steps. */
export const shortText = 64

/** The steps of a search in a string. */
export const searchCost = ({ length }: { readonly length: number }): number =>
  length < shortText ? 0 : length >> 3
