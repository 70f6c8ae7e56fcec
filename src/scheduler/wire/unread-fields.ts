import { nearest } from '../../kernel/nearest.ts'
import { isObject } from '../../kernel/objects.ts'
import { Job } from '../jobs/model.ts'
import { shortened } from '../values/shortened.ts'
import { defOf } from './schema-def.ts'

/** The maximum number of fields that are named one by one. */
const mostNamed = 20

/**
 * Returns a warning for each unknown field of a job that has a value, because a misspelt one is ignored. Clients of this
 * service send all fields that they know, so unknown ones are not refused.
 */
export function unreadFields(job: unknown): readonly string[] {
  const found: string[] = []
  let unnamed = 0
  for (const { path, nearestName } of unknownFields(Job, job, spelledInAnyCase)) {
    if (found.length === mostNamed) {
      unnamed += 1
      continue
    }
    const meant = nearestName()
    const advice = meant === undefined ? '' : `; did you mean ${meant}?`
    found.push(`Unknown field ${pathText(path)} was ignored${advice}`)
  }
  if (unnamed > 0) found.push(`${unnamed} more unknown fields were ignored`)
  return found
}

/** A field with a value that is not in the schema. */
export interface UnknownField {
  readonly path: readonly (string | number)[]
  /** The field that was probably meant. */
  readonly nearestName: () => string | undefined
}

type Shape = Readonly<Record<string, unknown>>

/** Finds the field of an object that a name refers to. */
export type Spelling = (given: string, shape: Shape) => string | undefined

const spelledInAnyCase: Spelling = (given, shape) =>
  Object.hasOwn(shape, given)
    ? given
    : Object.keys(shape).find((name) => name.toLowerCase() === given.toLowerCase())

export const spelledExactly: Spelling = (given, shape) => (Object.hasOwn(shape, given) ? given : undefined)

/** Lists the unknown fields of a value, at any depth; empty values are skipped. */
export function unknownFields(schema: unknown, value: unknown, spelled: Spelling): readonly UnknownField[] {
  const found: UnknownField[] = []
  // Every registration runs through here, and most have no unknown field: the path is copied only for those found.
  const path: (string | number)[] = []
  const within = (step: string | number, part: unknown, item: unknown): void => {
    path.push(step)
    look(part, item)
    path.pop()
  }
  const look = (part: unknown, item: unknown): void => {
    if (typeof item !== 'object' || item === null) return
    const { type, shape, element, valueType, innerType } = defOf(part) ?? {}
    if (innerType !== undefined) look(innerType, item)
    else if (type === 'array' && Array.isArray(item))
      for (let at = 0; at < item.length; at += 1) within(at, element, item[at])
    else if (type === 'record' && isObject(item))
      for (const key of Object.keys(item)) within(key, valueType, item[key])
    else if (type === 'object' && shape !== undefined && isObject(item))
      for (const given of Object.keys(item)) {
        const name = spelled(given, shape)
        if (name !== undefined) within(name, shape[name], item[given])
        else if (!isBlank(item[given]))
          found.push({ path: [...path, given], nearestName: () => nearest(given, Object.keys(shape)) })
      }
  }
  look(schema, value)
  return found
}

const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${shortened(step)}`,
    '',
  )

/** Whether a value is empty: some clients send every field they know. */
const isBlank = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)
