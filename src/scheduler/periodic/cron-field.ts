/** The values of a field, ascending. */
export type Values = readonly number[]

/** The syntax of one field of a cron expression. */
export interface FieldShape {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names of the values from `min` on; their first three letters suffice. */
  readonly names?: readonly string[]
  /** Whether the value after the last one is the first one again, as day 7 is Sunday; ranges may end there. */
  readonly wraps?: boolean
}

/** A parsed field: its values, and its special entries. */
export interface FieldRead {
  readonly values: Values
  /** Whether it restricts anything, that is, is not `*`. */
  readonly restricted: boolean
  /** Entries that `other` parsed. */
  readonly others: readonly string[]
}

/**
 * Parses one field: comma-separated entries, each `*`, a value or a range, with an optional step.
 *
 * @param other - parses entries that only this field supports
 *
 * @throws SyntaxError for anything else
 */
export function parseField(
  text: string,
  shape: FieldShape,
  other: (entry: string) => boolean = () => false,
): FieldRead {
  const values = new Set<number>()
  const others: string[] = []
  let restricted = true
  for (const entry of text.toLowerCase().split(',')) {
    if (other(entry)) {
      others.push(entry)
      continue
    }
    if (entry === '*' || entry === '?') restricted = false
    const [from, to, step] = readEntry(entry, shape)
    for (let value = from; value <= to; value += step) values.add(value)
  }
  return { values: [...values].sort((a, b) => a - b), restricted, others }
}

const pattern = /^(?:[*?]|([a-z]+|\d{1,4})(?:-([a-z]+|\d{1,4}))?)(?:\/(\d{1,4}))?$/

function readEntry(entry: string, shape: FieldShape): readonly [from: number, to: number, step: number] {
  const found = pattern.exec(entry)
  if (found === null || entry.startsWith('?/')) throw wrong(entry, shape)
  const [, first, last, every] = found
  const step = every === undefined ? 1 : Number(every)
  if (step < 1 || step > shape.max) throw new SyntaxError(`invalid interval ${entry} in ${shape.name} field`)
  const begin = first === undefined ? shape.min : valueNamed(first, shape)
  const end = last === undefined ? undefined : valueNamed(last, shape)
  if (begin === undefined || (last !== undefined && end === undefined)) throw wrong(entry, shape)
  // A value with a step continues to the end of the field; `*` is all of it.
  if (end === undefined) return [begin, first === undefined || every !== undefined ? shape.max : begin, step]
  const beyond = shape.wraps ? shape.max + 1 : undefined
  const from = begin === beyond && end < begin ? shape.min : begin
  const to = beyond !== undefined && end === shape.min && from > end ? beyond : end
  if (from > to) throw new SyntaxError(`the range ${entry} in ${shape.name} field ends before it begins`)
  return [from, to, step]
}

function valueNamed(text: string, { min, max, names = [], wraps = false }: FieldShape): number | undefined {
  const value = Number(text)
  if (/^\d/.test(text)) return value >= min && value <= (wraps ? max + 1 : max) ? value : undefined
  const at = names.findIndex((name) => text === name || text === name.slice(0, 3))
  return at < 0 ? undefined : min + at
}

const wrong = (entry: string, { name }: FieldShape) =>
  new SyntaxError(`syntax error in ${name} field: '${entry}'`)
