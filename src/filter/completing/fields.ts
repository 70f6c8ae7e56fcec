import type { Operator } from '../ast.ts'
import { type FieldDescription, operatorsOf } from '../checking/describe-fields.ts'
import { isScalarKind } from '../kinds/scalar-kinds.ts'
import { anyShape, type Shape, scalarShape } from '../kinds/shape.ts'
import { selectorText } from '../writing/selector-text.ts'

/** A name that a quantifier defines: the fields of its element, and its own type. */
export interface ScopedName {
  readonly name: string
  /** The selector whose elements it names; absent for a key or an index. */
  readonly base: string | undefined
  readonly self: FieldDescription
}

/** The fields of a datum, by selector. */
export class Fields {
  readonly all: readonly FieldDescription[]
  readonly #bySelector: ReadonlyMap<string, FieldDescription>

  private constructor(all: readonly FieldDescription[]) {
    this.all = all
    this.#bySelector = new Map(all.map((field) => [field.selector, field]))
  }

  static of(all: readonly FieldDescription[]): Fields {
    const known = indexes.get(all)
    if (known !== undefined) return known
    const made = new Fields(all)
    indexes.set(all, made)
    return made
  }

  /** The type of a path, from the datum or from a quantifier's name. */
  find(path: readonly string[], names: readonly ScopedName[]): FieldDescription | undefined {
    const [first = '', ...rest] = path
    const name = names.find((each) => each.name === first)
    if (name === undefined) return this.#at(path)
    if (rest.length === 0) return name.self
    const below = name.base === undefined ? undefined : this.#bySelector.get(name.base + restText(rest))
    return below ?? (name.self.kind === 'map' || name.self.kind === 'list' ? elementOf(name.self) : undefined)
  }

  #at(path: readonly string[]): FieldDescription | undefined {
    // An index of a list has the type of its elements, like the list itself in front of a name.
    const named = path.filter((segment, at) => at === 0 || !/^\d+$/.test(segment))
    const field = this.#bySelector.get(textOf(named))
    if (field !== undefined) return named.length === path.length ? field : elementOf(field)
    const parent = this.#bySelector.get(textOf(named.slice(0, -1)))
    return parent?.kind === 'map' ? elementOf(parent) : undefined
  }

  /** The names that a quantifier over a selector defines. */
  namesOf({ selector, name, key, value }: Quantified, outer: readonly ScopedName[]): readonly ScopedName[] {
    const collection = this.find(selector, outer)
    const overMap = collection?.kind === 'map'
    const element = collection === undefined ? plainField('any') : elementOf(collection)
    const index = plainField(overMap ? 'string' : 'int')
    const base = collection?.selector
    const given: ScopedName[] = []
    const give = (called: string | null, isKey: boolean) => {
      if (called !== null)
        given.push({ name: called, base: isKey ? undefined : base, self: isKey ? index : element })
    }
    give(name, overMap)
    give(key, true)
    give(value, false)
    const shadowed = new Set(given.map((each) => each.name))
    return [...given, ...outer.filter((each) => !shadowed.has(each.name))]
  }
}

interface Quantified {
  readonly selector: readonly string[]
  readonly name: string | null
  readonly key: string | null
  readonly value: string | null
}

const indexes = new WeakMap<readonly FieldDescription[], Fields>()

const textOf = (path: readonly string[]): string => {
  try {
    return selectorText(path)
  } catch {
    return ''
  }
}

/** How what is below a name is written. */
export const restText = (rest: readonly string[]): string => textOf(['@', ...rest]).slice(1)

/** The type of the elements of a list or a map. */
function elementOf(field: FieldDescription): FieldDescription {
  const element = plainField(field.of ?? 'any')
  const { selector, texts } = field
  return { ...element, selector, ...(texts && { texts }) }
}

const plainFields = new Map<FieldDescription['kind'], FieldDescription>()

/** A field of which only the kind is known. */
function plainField(kind: FieldDescription['kind']): FieldDescription {
  const known = plainFields.get(kind)
  if (known !== undefined) return known
  const made = { selector: '', kind, optional: false, operators: operatorsOf(shapeOf(kind)) }
  plainFields.set(kind, made)
  return made
}

/** Every operator, if the field is unknown. */
export const anyOperators = (): readonly Operator[] => plainField('any').operators

function shapeOf(kind: FieldDescription['kind']): Shape {
  if (isScalarKind(kind)) return scalarShape(kind)
  switch (kind) {
    case 'list':
      return { type: 'list', of: anyShape, fixed: false }
    case 'map':
      return { type: 'map', of: anyShape, intKeys: false }
    case 'struct':
      return { type: 'struct', fields: new Map(), open: true }
    case 'any':
      return anyShape
    default:
      return kind satisfies never
  }
}
