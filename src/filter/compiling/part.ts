import { brandOf } from '../../kernel/brand.ts'
import type { Suggest } from '../../kernel/option-names.ts'
import type { Advice } from '../advising/advice.ts'
import type { Expression } from '../ast.ts'
import type { overRows } from '../columns/over.ts'
import type { Context, Fast } from '../evaluating/context.ts'
import type { Patterns } from '../evaluating/patterns.ts'
import type { generate } from '../generating/codegen.ts'
import type { tierUp } from '../generating/tier-up.ts'
import type { withKinds } from '../kinds/declared-kinds.ts'
import type { Scalars } from '../kinds/scalars.ts'
import type { Shape } from '../kinds/shape.ts'
import type { Search } from '../regex/index.ts'

/** The optional parts of a compiler. */
export interface Kit {
  readonly patterns?: (search?: Search) => Patterns
  readonly search?: Search
  readonly fast?: Fast
  readonly codegen?: { readonly generate: typeof generate; readonly tierUp: typeof tierUp }
  readonly schemas?: {
    readonly shapeOfSchema: (schema: unknown) => Shape
    /** Throws what does not depend on a datum: invalid patterns, and contradictions to the schema. */
    readonly refute: (ast: Expression, context: Context, hasSchema: boolean) => void
  }
  /** The scalar kinds that must be declared, beside those that values have by themselves. */
  readonly scalars?: Scalars
  readonly withKinds?: typeof withKinds
  readonly format?: (tree: Expression) => string
  readonly over?: typeof overRows
  readonly advise?: Advice
  readonly suggest?: Suggest
}

/**
 * A part that {@link filterCompiler} puts into a compiler.
 */
export interface FilterPart {
  readonly name:
    | 'linearPatterns'
    | 'fastPatterns'
    | 'fastClosures'
    | 'generatedCode'
    | 'schemaChecks'
    | 'declaredKinds'
    | 'builtExpressions'
    | 'liveRows'
    | 'advice'
}

/** The contents of a part are private, and known to every copy of the package in this process. */
const contents = /* @__PURE__ */ brandOf('FilterPart')

export function part(name: FilterPart['name'], kit: Kit): FilterPart {
  return Object.freeze(Object.defineProperty({ name }, contents, { value: kit }))
}

export function kitOf(parts: readonly FilterPart[]): Kit {
  const kit = {}
  for (const each of parts) {
    const found: unknown = Object(each)[contents]
    if (found === undefined)
      throw new TypeError('this filter compiler was created with a value that is not a part')
    Object.assign(kit, found)
  }
  return kit
}

/** The part that an option needs, or the error if it is missing. */
export function required<Part>(found: Part | undefined, name: FilterPart['name']): Part {
  if (found === undefined) throw without(name)
  return found
}

export const without = (name: FilterPart['name']): TypeError =>
  new TypeError(`this filter compiler was created without ${name}`)
