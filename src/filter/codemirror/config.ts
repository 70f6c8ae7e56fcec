import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import type { FieldDescription } from '../checking/describe-fields.ts'
import type { Parameters } from '../kinds/parameters.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import type { Kinds } from '../kinds/shape.ts'
import type { Dialect } from '../reading/read.ts'

/**
 * What an editor knows of the expressions that are written in it. All of it may be left out: then the syntax is
 * highlighted and checked, and the words of the language are completed.
 *
 * @public
 */
export interface FilterConfig {
  /** What a datum looks like: its fields and values are completed, and what it refutes is reported. */
  readonly schema?: FilterSchema
  /** The fields of a datum, as `describeFields` gives them, where the schema itself is not at hand. */
  readonly fields?: readonly FieldDescription[]
  /** `standard` by default. */
  readonly dialect?: Dialect
  /** The parameters that the expression may use. */
  readonly parameters?: Parameters
  /** Kinds of fields, where the schema cannot tell. */
  readonly kinds?: Kinds
}

const configNames: OptionNames<FilterConfig> = {
  schema: true,
  fields: true,
  dialect: true,
  parameters: true,
  kinds: true,
}

export function checkConfig(taker: string, config: FilterConfig): void {
  checkOptionNames(taker, config, configNames, nearest)
}
