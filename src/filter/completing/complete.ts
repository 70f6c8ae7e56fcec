import { checkArguments } from '../../kernel/check-arguments.ts'
import { nearest } from '../../kernel/nearest.ts'
import { checkOptionNames, type OptionNames } from '../../kernel/option-names.ts'
import type { Operator } from '../ast.ts'
import { describeFields, type FieldDescription } from '../checking/describe-fields.ts'
import type { ParameterKind, Parameters } from '../kinds/parameters.ts'
import type { FilterSchema } from '../kinds/schema.ts'
import { plainName } from '../kinds/shape.ts'
import { type Dialect, isBexpr } from '../reading/read.ts'
import { stringText } from '../writing/selector-text.ts'
import { type Reader, readerFor } from './expected.ts'
import { anyOperators, Fields, type ScopedName } from './fields.ts'
import { type OperatorText, operatorTexts } from './operator-texts.ts'
import { type Place, placeIn } from './place.ts'
import { unfinishedOf } from './unfinished.ts'

/**
 * One completion of an expression.
 */
export interface CompletionOption {
  /** The replacement of the range when the option is accepted. */
  readonly text: string
  /** Its type: a `name` is one that a quantifier defines; a `keyword` is any other word of the language. */
  readonly kind:
    | 'field'
    | 'name'
    | 'operator'
    | 'value'
    | 'connective'
    | 'quantifier'
    | 'function'
    | 'parameter'
    | 'keyword'
  /** The kind of a field, a name or a parameter; a few words about a function. */
  readonly detail?: string
}

/**
 * The result of {@link complete}.
 */
export interface Completion {
  /** The start of the word that an option replaces: a UTF-16 offset. */
  readonly from: number
  /** Where that word ends. */
  readonly to: number
  /** The options that match the typed part of the word; those that begin with it come first. */
  readonly options: readonly CompletionOption[]
}

/**
 * Options of {@link complete}. Give `schema` or `fields`; without either, only the words of the language are offered.
 */
export interface CompleteOptions {
  /** The schema of a row. */
  readonly schema?: FilterSchema | undefined
  /** The fields of a row, as {@link describeFields} returns them. */
  readonly fields?: readonly FieldDescription[] | undefined
  /** `standard` by default. */
  readonly dialect?: Dialect | undefined
  /** The parameters that the expression may use. */
  readonly parameters?: Parameters | undefined
}

const completeOptions: OptionNames<CompleteOptions> = {
  schema: true,
  fields: true,
  dialect: true,
  parameters: true,
}

/**
 * Completes the word at a cursor: with fields, the operators that the preceding field supports, its possible values,
 * connectives, quantifiers and the names they define, functions and parameters. The text may be unfinished, and may
 * have mistakes before the cursor.
 *
 * @param text - the expression so far
 * @param cursor - a UTF-16 offset into it
 *
 * @example
 * ```ts
 * import { complete, describeFields } from 'plinth/filter'
 * import * as z from 'zod'
 *
 * const schema = z.object({ Status: z.enum(['running', 'dead']), Count: z.int() })
 * complete('Sta', 3, { schema }).options // [{ text: 'Status', kind: 'field', detail: 'string' }]
 * complete('Status == r', 11, { schema }) // { from: 10, to: 11, options: [{ text: '"running"', kind: 'value' }] }
 * complete('Count <', 7, { fields: describeFields(schema) }).options.map(({ text }) => text) // ['<', '<=']
 * ```
 */
export function complete(text: string, cursor: number, options: CompleteOptions = {}): Completion {
  checkArguments('text cursor', text, cursor)
  checkOptionNames('complete', options, completeOptions, nearest)
  if (!Number.isInteger(cursor) || cursor < 0 || cursor > text.length)
    throw new RangeError(`cursor is a whole number from 0 to ${text.length}, not ${cursor}`)
  const { parameters = {}, schema } = options
  const language = languageOf(isBexpr(options))
  const fields = Fields.of(options.fields ?? (schema === undefined ? none : fieldsOf(schema)))
  const before = text.slice(0, cursor)
  const unfinished = unfinishedOf(before)
  for (const word of wordsAt(text, cursor, unfinished.openString)) {
    const found = optionsAt(before.slice(0, word.from), word.typed, { language, fields, parameters })
    if (found.length > 0) return { from: word.from, to: word.to, options: found }
  }
  return { from: cursor, to: cursor, options: [] }
}

const none: readonly FieldDescription[] = []

const described = new WeakMap<FilterSchema, readonly FieldDescription[]>()

/** Cached: describing a schema takes longer than completing a word. */
function fieldsOf(schema: FilterSchema): readonly FieldDescription[] {
  const known = described.get(schema)
  if (known !== undefined) return known
  const made = describeFields(schema)
  described.set(schema, made)
  return made
}

export interface Language {
  readonly reader: Reader
  readonly operators: readonly OperatorText[]
}

const languages = new Map<boolean, Language>()

export function languageOf(bexpr: boolean): Language {
  const known = languages.get(bexpr)
  if (known !== undefined) return known
  const reader = readerFor(bexpr)
  const made = { reader, operators: operatorTexts(reader) }
  languages.set(bexpr, made)
  return made
}

interface Word {
  readonly from: number
  readonly to: number
  readonly typed: string
}

/** The possible words at a cursor, the longest first: an operator of several words, a value with hyphens, a path. */
function* wordsAt(text: string, cursor: number, openString: number | undefined): Iterable<Word> {
  const before = text.slice(Math.max(0, cursor - longestWord), cursor)
  const [rest = ''] = /^[\w.-]*/.exec(text.slice(cursor)) ?? []
  const word = (from: number, to: number): Word => ({ from, to, typed: text.slice(from, cursor) })
  if (openString !== undefined) {
    const end = cursor + rest.length
    const isClosed = text.charAt(end) === text.charAt(openString)
    const [path = ''] =
      /[A-Za-z]\w*(?:\.\w+)*\[\s*$/.exec(text.slice(Math.max(0, openString - longestWord), openString)) ?? []
    if (path !== '') yield word(openString - path.length, isClosed ? end + 1 : end)
    yield word(openString, isClosed ? end + 1 : end)
    return
  }
  for (const pattern of words) {
    const [typed = ''] = pattern.exec(before) ?? []
    if (typed === '' && pattern !== path) continue
    yield word(cursor - typed.length, typed === '' || /\s$/.test(typed) ? cursor : cursor + rest.length)
  }
}

/** The patterns try each place as the start of a word: their time grows with the square of the text they see. */
const longestWord = 500

const path = /(?:(?:[$@]\w*|\w+)(?:\.\w*|\["[^"]*"\]|\[`[^`]*`\])*)?$/
const words = [
  /(?<!\S)(?:[a-z]+\s+){2}[a-z]*$/,
  /(?<!\S)[a-z]+\s+[a-z]*$/,
  /[=!<>]+$/,
  /\w[\w.:]*-[\w.:-]*$/,
  path,
]

interface Surroundings {
  readonly language: Language
  readonly fields: Fields
  readonly parameters: Parameters
}

/** The possible continuations of a text with a partial word. */
function optionsAt(before: string, typed: string, surroundings: Surroundings): CompletionOption[] {
  const { reader } = surroundings.language
  let text = before
  let expected = reader.expectedAfter(text)
  if (expected === undefined) {
    // There is a mistake before the cursor, but its surroundings suffice.
    text = unfinishedOf(before).remainder
    expected = reader.expectedAfter(text)
  }
  if (expected === undefined || expected.has('_')) return []
  const all = offered(text, typed, expected, surroundings)
  if (typed === '') return all
  const wanted = typed.toLowerCase().replace(/\s+/g, ' ').replace(/^["`]/, '')
  if (/\s/.test(wanted)) {
    const isMore = (whole: string) => whole.startsWith(wanted) && whole !== wanted.trim()
    return all.filter((option) => option.kind === 'operator' && isMore(option.text))
  }
  const first: CompletionOption[] = []
  const later: CompletionOption[] = []
  // A sign within another is a different sign.
  const mayLieWithin = /^\w/.test(wanted)
  for (const option of all) {
    const at = option.text.toLowerCase().indexOf(wanted)
    if (at === 0 || (at === 1 && option.kind === 'value')) first.push(option)
    else if (at > 0 && mayLieWithin) later.push(option)
  }
  return [...first, ...later]
}

/** What is asked at the end of a text. */
interface Asked {
  readonly text: string
  /** What closes the text. */
  readonly closers: string
  readonly typed: string
  readonly expected: ReadonlySet<string>
  readonly surroundings: Surroundings
  /** The place at the end of the text, with the first of some fillers that makes it a filter. */
  readonly place: (...fillers: readonly string[]) => Place | undefined
  readonly namesAt: (at: Place | undefined) => readonly ScopedName[]
}

/** All possible continuations of a text. */
function offered(
  text: string,
  typed: string,
  expected: ReadonlySet<string>,
  surroundings: Surroundings,
): CompletionOption[] {
  const { language, fields } = surroundings
  const { closers } = unfinishedOf(text)
  const place = (...fillers: readonly string[]): Place | undefined => {
    for (const filler of fillers) {
      const tree = language.reader.tree(`${text}${filler}${closers}`)
      if (tree !== undefined) return placeIn(tree, text.length)
    }
    return undefined
  }
  const namesAt = (at: Place | undefined): readonly ScopedName[] =>
    (at?.quantifiers ?? []).reduce<readonly ScopedName[]>(
      (names, { selector, name, key, value }) =>
        fields.namesOf({ selector: selector.path, name, key, value }, names),
      [],
    )
  const asked: Asked = { text, closers, typed, expected, surroundings, place, namesAt }
  const startsOperand = expected.has('(')
  const options: CompletionOption[] = []
  if (startsOperand || (expected.has('a name') && !expected.has('a number'))) options.push(...operands(asked))
  if (expected.has('==')) options.push(...operatorsAfter(asked))
  if (expected.has('a number') && !startsOperand) options.push(...comparedValues(asked))
  // If an operator is possible, they are all listed already.
  if (!expected.has('==') && !startsOperand && !expected.has('a name'))
    for (const word of expected) {
      if (!/^[a-z]+$/.test(word)) continue
      const connective = connectives.find((each) => each.text === word)
      options.push(connective ?? { text: phrases[word] ?? word, kind: 'keyword' })
    }
  return options
}

function operands({ text, closers, expected, surroundings, place, namesAt }: Asked): CompletionOption[] {
  const [, word = ''] = /\b(any|all|none|count|in)\s*$/.exec(text) ?? []
  // Only a quantifier defines names.
  const isInBraces = closers.includes('}')
  const names = isInBraces ? namesAt(place('x is nil', 'x as x {x is nil}', 'x > 0', 'x')) : []
  return [
    ...fieldOptions(surroundings.fields, names, places[word] ?? (() => true)),
    ...operandWords.filter((keyword) => expected.has(keyword.text)),
  ]
}

function operatorsAfter({
  text,
  closers,
  expected,
  surroundings,
  place,
  namesAt,
}: Asked): CompletionOption[] {
  const { language, fields } = surroundings
  const at = place(' is nil', ' > 0')
  const field = at?.match && fields.find(at.match.selector.path, namesAt(at))
  // After `not` and similar words, which may be fields, too, only a known field counts as one.
  if (field === undefined && expected.has('a name')) return []
  const taken: readonly Operator[] = field?.operators ?? anyOperators()
  const isCount = !expected.has('is')
  const options: CompletionOption[] = language.operators
    .filter(({ op }) => op.startsWith('count ') === isCount && taken.includes(op))
    .map(({ text: written }) => ({ text: written, kind: 'operator' }))
  // A boolean field is a comparison by itself.
  if (field?.kind === 'bool' && language.reader.tree(text + closers) !== undefined)
    options.push(...connectives)
  return options
}

function comparedValues({ typed, expected, surroundings, place, namesAt }: Asked): CompletionOption[] {
  const { fields, parameters } = surroundings
  const at = place('0', '0 and 0', '["0"]')
  const names = namesAt(at)
  const field = at?.match && fields.find(at.match.selector.path, names)
  const options = [...valueOptions(at?.match?.op, field, expected)]
  const family = at?.match?.op.startsWith('count') ? 'number' : field && familyOf(field)
  for (const [name, kind] of Object.entries(parameters)) {
    const fits = family === undefined || family === 'any' || family === kindFamily(kind)
    if (fits && expected.has('$')) options.push({ text: `$${name}`, kind: 'parameter', detail: kind })
  }
  // Other fields come only on request: there may be hundreds.
  if (!typed.startsWith('@') || !expected.has('@')) return options
  const alike = (other: FieldDescription) => family === undefined || familyOf(other) === family
  for (const option of fieldOptions(fields, names, alike))
    options.push(option.text.startsWith('@') ? option : { ...option, text: `@${option.text}` })
  return options
}

/** Words that are completed as one with the next. */
const phrases: Readonly<Record<string, string>> = { ignoring: 'ignoring case' }

const connectives: readonly CompletionOption[] = [
  { text: 'and', kind: 'connective' },
  { text: 'or', kind: 'connective' },
]

const operandWords: readonly CompletionOption[] = [
  { text: 'not', kind: 'connective' },
  { text: 'any', kind: 'quantifier' },
  { text: 'all', kind: 'quantifier' },
  { text: 'none', kind: 'quantifier' },
  { text: 'count', kind: 'function', detail: 'how many elements there are' },
]

const isCollection = ({ kind }: FieldDescription) => kind === 'list' || kind === 'map' || kind === 'any'

/** The fields that can follow a word. */
const places: Readonly<Record<string, (field: FieldDescription) => boolean>> = {
  any: isCollection,
  all: isCollection,
  none: isCollection,
  count: ({ operators }) => operators.some((op) => op.startsWith('count ')),
  in: ({ operators }) => operators.includes('in'),
}

/** The fields that a test accepts, and what the surrounding quantifiers' names refer to. */
function fieldOptions(
  fields: Fields,
  names: readonly ScopedName[],
  accepts: (field: FieldDescription) => boolean,
): CompletionOption[] {
  const shadowed = new Set(names.map(({ name }) => name))
  const named = names.flatMap(({ name, base, self }) => {
    const below = fields.all.flatMap((field) => {
      const rest =
        base !== undefined && field.selector.startsWith(base) ? field.selector.slice(base.length) : ''
      return /^[.[]/.test(rest) && accepts(field)
        ? [{ text: name + rest, kind: 'field' as const, detail: kindText(field) }]
        : []
    })
    return [{ text: name, kind: 'name' as const, detail: kindText(self) }, ...below]
  })
  const own = fields.all.flatMap((field) =>
    accepts(field) && !shadowed.has(/^\w*/.exec(field.selector)?.[0] ?? '')
      ? [{ text: field.selector, kind: 'field' as const, detail: kindText(field) }]
      : [],
  )
  return [...named, ...own]
}

const kindText = ({ kind, of }: FieldDescription): string => (of === undefined ? kind : `${kind} of ${of}`)

/** Which fields can be compared with each other. */
export const familyOf = ({ kind, of = 'any' }: FieldDescription): string =>
  kindFamily(kind === 'list' ? of : kind)

const kindFamily = (kind: FieldDescription['kind'] | ParameterKind): string => {
  const plain = plainName(kind)
  if (/int|float/.test(plain)) return 'number'
  return times.has(plain) ? 'time' : plain === 'ordered-string' ? 'string' : plain
}

const times: ReadonlySet<unknown> = new Set(['time', 'unix-ms', 'unix-ns'])

/** The known values of a field, for an operator. */
function valueOptions(
  op: Operator | undefined,
  field: FieldDescription | undefined,
  expected: ReadonlySet<string>,
): CompletionOption[] {
  if (field === undefined || op === undefined || op === 'matches' || op.startsWith('count')) return []
  const texts = field.texts?.map(stringText) ?? (field.kind === 'bool' ? ['true', 'false'] : [])
  const options: CompletionOption[] = texts.map((text) => ({ text, kind: 'value' }))
  if (times.has(field.kind) && expected.has('now'))
    options.push({ text: 'now', kind: 'function', detail: 'the current time; now - 1h is an hour ago' })
  return options
}
