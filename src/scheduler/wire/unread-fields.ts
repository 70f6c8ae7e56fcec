import { nearest } from '../../kernel/nearest.ts'
import { Job } from '../jobs/model.ts'
import { shortened } from '../values/shortened.ts'
import { isObject } from './body-fields.ts'
import { defOf } from './schema-def.ts'

/** As many are named one by one. */
const mostNamed = 20

/**
 * Names the fields of a job that say something and that nothing reads, each as a warning: a misspelt one would be
 * as good as left out. Clients of this service send what they know, so these fields are no fault.
 */
export function unreadFields(job: unknown): readonly string[] {
  const found: string[] = []
  let unnamed = 0
  for (const { path, meant } of unknownFields(Job, job, spelledInAnyCase)) {
    if (found.length === mostNamed) {
      unnamed += 1
      continue
    }
    const advice = meant === undefined ? '' : `; did you mean ${meant}?`
    found.push(`Unknown field ${pathText(path)} was ignored${advice}`)
  }
  if (unnamed > 0) found.push(`${unnamed} more unknown fields were ignored`)
  return found
}

/** A field that says something and that a schema does not have. */
export interface UnknownField {
  readonly path: readonly (string | number)[]
  /** The field that was probably meant. */
  readonly meant: string | undefined
}

type Shape = Readonly<Record<string, unknown>>

/** The field of an object that a name stands for. */
export type Spelling = (given: string, shape: Shape) => string | undefined

const spelledInAnyCase: Spelling = (given, shape) =>
  Object.hasOwn(shape, given)
    ? given
    : Object.keys(shape).find((name) => name.toLowerCase() === given.toLowerCase())

export const spelledExactly: Spelling = (given, shape) => (Object.hasOwn(shape, given) ? given : undefined)

/** The unknown fields of a value, at any depth; what asks for nothing is passed over. */
export function* unknownFields(
  schema: unknown,
  value: unknown,
  spelled: Spelling,
  path: readonly (string | number)[] = [],
): Generator<UnknownField> {
  const { type, shape, element, valueType, innerType } = defOf(schema) ?? {}
  if (typeof value !== 'object' || value === null) return
  if (innerType !== undefined) yield* unknownFields(innerType, value, spelled, path)
  else if (type === 'array' && Array.isArray(value))
    for (const [at, item] of value.entries()) yield* unknownFields(element, item, spelled, [...path, at])
  else if (type === 'record' && isObject(value))
    for (const [key, item] of Object.entries(value))
      yield* unknownFields(valueType, item, spelled, [...path, key])
  else if (type === 'object' && shape !== undefined && isObject(value))
    for (const [given, item] of Object.entries(value)) {
      const name = spelled(given, shape)
      if (name !== undefined) yield* unknownFields(shape[name], item, spelled, [...path, name])
      else if (!isBlank(item)) yield { path: [...path, given], meant: nearest(given, Object.keys(shape)) }
    }
}

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${shortened(step)}`,
    '',
  )

/** What asks for nothing: some clients send every field they know. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)
