import type { Expression } from './ast.ts'
import type { generate } from './codegen.ts'
import type { Context, Hasten } from './context.ts'
import type { CompilePattern } from './patterns.ts'
import type { Shape } from './shape.ts'
import type { Advise } from './syntax-error.ts'
import type { warm } from './warm.ts'

/** What a compiler may have beside the language itself. */
export interface Kit {
  readonly compilePattern?: CompilePattern
  readonly hasten?: Hasten
  readonly codegen?: { readonly generate: typeof generate; readonly warm: typeof warm }
  readonly schemas?: {
    readonly shapeOfSchema: (schema: unknown) => Shape
    /** Throws what needs no datum to be seen: bad patterns, and what a schema refutes. */
    readonly refute: (ast: Expression, context: Context, hasSchema: boolean) => void
  }
  readonly advise?: Advise
}

/**
 * A part that {@link filterCompiler} puts into a compiler.
 *
 * @public
 */
export interface FilterPart {
  readonly name: 'linearPatterns' | 'fastClosures' | 'generatedCode' | 'schemaChecks' | 'syntaxAdvice'
}

/** What is in a part is nobody else's business. */
const kits = new WeakMap<FilterPart, Kit>()

export function part(name: FilterPart['name'], kit: Kit): FilterPart {
  const made: FilterPart = Object.freeze({ name })
  kits.set(made, kit)
  return made
}

export function kitOf(parts: readonly FilterPart[]): Kit {
  const kit = {}
  for (const each of parts) {
    const found = kits.get(each)
    if (found === undefined)
      throw new TypeError('a filter compiler is made of the parts that plinth/filter has')
    Object.assign(kit, found)
  }
  return kit
}

/** What an option needs, or what to say to whoever left it out. */
export function required<Part>(found: Part | undefined, name: FilterPart['name']): Part {
  if (found === undefined) throw new TypeError(`this filter compiler was made without ${name}`)
  return found
}
