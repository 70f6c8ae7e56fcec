import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import type { FieldDescription } from '../checking/describe-fields.ts'
import type { Parameters } from '../kinds/parameters.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import type { Kinds } from '../kinds/shape.ts'
import type { Dialect } from '../reading/read.ts'

/**
 * The configuration of an editor for expressions. All of it is optional: without it, the editor highlights and checks
 * the syntax, and completes keywords.
 */
export interface FilterConfig {
  /** The schema of a row: its fields and values are completed, and contradictions to it are reported. */
  readonly schema?: FilterSchema | undefined
  /** The fields of a row, as `describeFields` returns them, if the schema itself is not available. */
  readonly fields?: readonly FieldDescription[] | undefined
  /** `standard` by default. */
  readonly dialect?: Dialect | undefined
  /** The parameters that the expression may use. */
  readonly parameters?: Parameters | undefined
  /** Kinds of fields that the schema does not define. */
  readonly kinds?: Kinds | undefined
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
