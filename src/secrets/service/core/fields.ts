import * as z from 'zod'
import { parseDuration, parseTtlSeconds } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'

/**
 * Fields accept several input types: `meta` documents the main one. The others are for old clients.
 */

/** `null` counts as omitted: clients send it for settings they do not set. */
const leftOut = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional())

const fails = (context: z.RefinementCtx, message: string): never => {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** A string; numbers and booleans are converted. */
export const textField = leftOut(
  z
    .unknown()
    .meta({ type: 'string' })
    .transform((value, context): string => {
      if (typeof value === 'string') return value
      if (typeof value === 'number' || typeof value === 'boolean') return String(value)
      return fails(context, 'expected a string')
    }),
)

/** A boolean, also as string or number. */
export const booleanField = leftOut(
  z
    .unknown()
    .meta({ type: 'boolean' })
    .transform((value, context): boolean => {
      if (typeof value === 'boolean') return value
      if (typeof value === 'number') return value !== 0
      if (typeof value === 'string') {
        if (/^(1|t|true)$/i.test(value)) return true
        if (/^(0|f|false|)$/i.test(value)) return false
      }
      return fails(context, 'expected a boolean')
    }),
)

/** A whole number, also as string; the empty string is 0. */
export const integerField = leftOut(
  z
    .unknown()
    .meta({ type: 'integer' })
    .transform((value, context): number => {
      const number = typeof value === 'string' && /^[+-]?\d*$/.test(value.trim()) ? Number(value) : value
      return typeof number === 'number' && Number.isSafeInteger(number)
        ? number
        : fails(context, 'expected a whole number')
    }),
)

/** A number, also as string. */
export const numberField = leftOut(
  z
    .unknown()
    .meta({ type: 'number' })
    .transform((value, context): number => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      return typeof number === 'number' && Number.isFinite(number)
        ? number
        : fails(context, 'expected a number')
    }),
)

const secondsReadBy = (parse: (value: string | number) => number | undefined) =>
  z
    .unknown()
    .meta({ type: ['integer', 'string'] })
    .transform((value, context): number => {
      const seconds = typeof value === 'string' || typeof value === 'number' ? parse(value) : undefined
      return seconds ?? fails(context, 'expected a duration: seconds, or text such as "1h30m" or "7d"')
    })

/** A duration in whole seconds: a number, a numeric text, `7d`, or `1h30m`. May be negative. */
export const signedSecondsField = leftOut(secondsReadBy(parseTtlSeconds))

/**
 * Parses a maximum TTL in whole seconds, like {@link parseTtlSeconds}, but a positive value below one second becomes
 * one: 0 would mean no limit.
 */
export function parseLifetimeSeconds(value: string | number): number | undefined {
  const seconds = parseTtlSeconds(value)
  if (seconds !== 0) return seconds
  return Math.sign(typeof value === 'number' ? value : (parseDuration(value.trim()) ?? 0))
}

/** A TTL in whole seconds. May be negative. */
export const lifetimeField = leftOut(secondsReadBy(parseLifetimeSeconds))

/** A duration that cannot be negative. */
export const secondsField = signedSecondsField.superRefine((seconds, context) => {
  if (seconds !== undefined && seconds < 0)
    context.addIssue({ code: 'custom', message: `cannot provide negative value '${seconds}'` })
})

/** How the documentation describes a list that can be a single string. */
export const listOrText = {
  anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
} as const

/** A list of strings, or one comma-separated string; items are trimmed. */
export const listField = leftOut(
  z
    .unknown()
    .meta(listOrText)
    .transform((value, context): readonly string[] => {
      if (typeof value === 'string') return value === '' ? [] : value.split(',').map((item) => item.trim())
      if (
        Array.isArray(value) &&
        value.every((item) => ['string', 'number', 'boolean'].includes(typeof item))
      )
        return value.map((item) => String(item).trim())
      return fails(context, 'expected a list of strings, or one string with commas')
    }),
)

/** A map with values of one schema; without a prototype, so that no name is special. */
const mapOf = <T extends string | null>(spell: (item: unknown) => T | undefined) =>
  z
    .unknown()
    .meta({ type: 'object', additionalProperties: { type: 'string' } })
    .transform((value, context): Readonly<Record<string, T>> => {
      if (!isObject(value)) return fails(context, 'expected a map')
      const map: Record<string, T> = Object.create(null)
      for (const [name, item] of Object.entries(value)) {
        const spelled = spell(item)
        if (spelled === undefined)
          return fails(context, `expected a string for ${JSON.stringify(name)}, not ${kindOf(item)}`)
        map[name] = spelled
      }
      return map
    })

const spelledOut = (item: unknown): string | undefined =>
  ['string', 'number', 'boolean'].includes(typeof item) ? String(item) : undefined

/** A map of strings; numbers and booleans are converted. */
export const textMapField = leftOut(mapOf(spelledOut))

const asNote = (item: unknown): string | undefined =>
  typeof item === 'boolean' ? (item ? '1' : '0') : spelledOut(item)

/** Custom metadata: a map of strings, where true is `1` and false is `0`. */
export const notesField = leftOut(mapOf(asNote))

/** A merge patch of custom metadata: `null` removes a key, or all of them. */
export const notesPatchField = mapOf((item) => (item === null ? null : asNote(item)))
  .nullable()
  .optional()

/** A map of strings, or a list (or one) of `name=value`. */
export const pairsField = z.preprocess((value, context) => {
  const items = typeof value === 'string' ? [value] : value
  if (!Array.isArray(items)) return value
  const map: Record<string, string> = Object.create(null)
  for (const item of items) {
    const [name, ...rest] = typeof item === 'string' ? item.split('=') : []
    if (name === undefined || rest.length === 0)
      return fails(context, 'expected a map, or a list of "name=value"')
    map[name.trim()] = rest.join('=').trim()
  }
  return map
}, textMapField)

/** The type of a JSON value, for messages: never the value itself, which may be secret. */
export const kindOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}

/** Version numbers: a list of numbers or numeric strings, `"1,2"`, or one number. Omitted means an empty list. */
export const versionsField = z.preprocess(
  (value) => value ?? [],
  z
    .unknown()
    .meta({ type: 'array', items: { type: 'integer' } })
    .transform((value, context): readonly number[] => {
      const items: readonly unknown[] =
        typeof value === 'string' ? value.split(',').filter((item) => item.trim() !== '') : [value].flat()
      const numbers = items.map((item) =>
        typeof item === 'string' ? Number(item.trim() || Number.NaN) : item,
      )
      return numbers.every((number): number is number => Number.isSafeInteger(number))
        ? numbers
        : fails(context, 'expected version numbers')
    }),
)

/** The message for an invalid field, in the words of this API. */
export function describeField(error: z.ZodError): string {
  const [issue] = error.issues
  const field = issue?.path.map(String).join('.') ?? ''
  if (issue === undefined || field === '')
    return `Field validation failed: ${issue?.message ?? 'invalid input'}`
  return `Field validation failed: error converting input for field ${JSON.stringify(field)}: ${issue.message}`
}

/** A body with optional fields; a missing body is an empty one. */
export const body = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((value) => value ?? {}, z.object(shape))

/** Lists the ignored fields of a request. */
export const unrecognized = (names: readonly string[]): string =>
  `Endpoint ignored these unrecognized parameters: [${names.join(' ')}]`
