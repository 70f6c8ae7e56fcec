import { compileRegex } from '../../filter/regex/index.ts'
import type { Constant } from '../../hcl/structure/index.ts'
import { isObject } from '../../kernel/objects.ts'

/** Stops the evaluation of a function: its arguments do not fit. */
export class WrongArguments extends Error {}

const wrong = (what: string): never => {
  throw new WrongArguments(what)
}

type Values = readonly Constant[]
type Members = { readonly [name: string]: Constant }

const text = (value: Constant | undefined): string =>
  typeof value === 'object' || value === undefined ? wrong('expects a string') : String(value)
const number = (value: Constant | undefined): number => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && Number.isFinite(found) ? found : wrong('expects a number')
}
const list = (value: Constant | undefined): Values => (Array.isArray(value) ? value : wrong('expects a list'))
const members = (value: Constant | undefined): Members => (isObject(value) ? value : wrong('expects a map'))
const texts = (value: Constant | undefined): readonly string[] => list(value).map((each) => text(each))
const size = (value: Constant | undefined): number =>
  typeof value === 'string'
    ? [...value].length
    : Array.isArray(value)
      ? value.length
      : Object.keys(members(value)).length
const sorted = (value: Members) => Object.keys(value).sort()
const same = (left: Constant, right: Constant) => JSON.stringify(left) === JSON.stringify(right)
const unique = (values: Values): Values => [
  ...new Map(values.map((each) => [JSON.stringify(each), each])).values(),
]
const flat = (values: Values): Values => values.flatMap((each) => (Array.isArray(each) ? flat(each) : [each]))
const trimmed = (value: string, signs: string) => {
  const set = new Set(signs)
  let [start, end] = [0, value.length]
  while (start < end && set.has(value[start] ?? '')) start += 1
  while (end > start && set.has(value[end - 1] ?? '')) end -= 1
  return value.slice(start, end)
}

const extreme = (values: Values, choose: (a: number, b: number) => number): number =>
  values.length === 0 ? wrong('needs a number') : values.map(number).reduce((a, b) => choose(a, b))

/** Refuses a result that would fill the memory. */
const fits = (length: number): true =>
  length > 1_000_000 ? wrong('would make a text that is too long') : true

/** The longest list that a function makes. */
const longest = 10_000

function range([first, second, third]: Values): Values {
  const [start, limit] = second === undefined ? [0, number(first)] : [number(first), number(second)]
  const step = third === undefined ? (limit < start ? -1 : 1) : number(third)
  const count =
    step === 0 ? wrong('needs a step other than 0') : Math.max(0, Math.ceil((limit - start) / step))
  if (count > longest) wrong(`makes lists of at most ${longest} numbers`)
  return Array.from({ length: count }, (_, at) => start + at * step)
}

/** `%s`, `%d`, `%q`, `%v`, `%x`, `%f`, `%t`, `%%`, with a width, zeros and decimals. */
function format([pattern, ...values]: Values): string {
  let at = 0
  const made = text(pattern).replace(
    /%(?:%|([-0]?)(\d{0,3})(?:\.(\d{1,2}))?([sdqvxXft])|.?)/gu,
    (
      whole,
      flag: string | undefined,
      width: string,
      decimals: string | undefined,
      verb: string | undefined,
    ) => {
      if (whole === '%%') return '%'
      if (verb === undefined) return wrong(`does not know ${whole}`)
      if (at >= values.length) return wrong(`needs a value for ${whole}`)
      const value = values[at] ?? null
      at += 1
      const shown =
        verb === 'd'
          ? String(Math.trunc(number(value)))
          : verb === 'f'
            ? number(value).toFixed(Number(decimals ?? 6))
            : verb === 'x' || verb === 'X'
              ? verb === 'x'
                ? Math.trunc(number(value)).toString(16)
                : Math.trunc(number(value)).toString(16).toUpperCase()
              : verb === 'q'
                ? JSON.stringify(text(value))
                : verb === 's'
                  ? text(value)
                  : typeof value === 'string'
                    ? value
                    : JSON.stringify(value)
      const room = Number(width)
      return flag === '-' ? shown.padEnd(room) : shown.padStart(room, flag === '0' ? '0' : ' ')
    },
  )
  return at < values.length ? wrong('has more values than its pattern names') : made
}

/** The longest text of {@link regexReplace}: patterns are matched in linear time, each position by itself. */
const longestSearched = 256

/** Replaces the leftmost, longest matches. Patterns are those of filters (RE2); the replacement is plain text. */
function regexReplace([given, pattern, replacement]: Values): string {
  const [from, into] = [text(given), text(replacement)]
  const [, start = '', inner = '', end = ''] = /^(\^?)([\s\S]*?)(\$?)$/.exec(text(pattern)) ?? []
  if (from.length > longestSearched) wrong(`takes texts of at most ${longestSearched} characters`)
  if (/[\^$]|\\[bBAz]/.test(inner.replace(/\\[\^$]|\[\^/g, '')))
    wrong('takes ^ and $ at the ends of its pattern only')
  if (into.includes('$')) wrong('has no groups in its replacement: $ is not supported')
  let begins: ReturnType<typeof compileRegex>
  let whole: ReturnType<typeof compileRegex>
  try {
    begins = compileRegex(`^(?:${inner})`)
    whole = compileRegex(`^(?:${inner})$`)
  } catch (error) {
    return wrong(`has an invalid pattern: ${error instanceof Error ? error.message : String(error)}`)
  }
  let made = ''
  let at = 0
  while (at < from.length) {
    let last = -1
    if ((start === '' || at === 0) && begins.test(from.slice(at)))
      for (last = from.length; last > at && !whole.test(from.slice(at, last)); last -= 1)
        if (end !== '') break
    const isMatch = last > at && (end === '' || last === from.length) && whole.test(from.slice(at, last))
    made += isMatch ? into : (from[at] ?? '')
    at = isMatch ? last : at + 1
  }
  return made
}

/** The effort of a call for the size of its arguments: a search begins anew at each position. */
export const effortOf = (name: string, size: number): number => (name === 'regex_replace' ? size ** 2 : size)

const utf8 = { encode: new TextEncoder(), decode: new TextDecoder('utf-8', { fatal: true }) }

/** The functions of job files. They are pure: none reads files, the environment, the clock or the network. */
export const functions: Readonly<Record<string, (args: Values) => Constant>> = {
  abs: ([value]) => Math.abs(number(value)),
  ceil: ([value]) => Math.ceil(number(value)),
  floor: ([value]) => Math.floor(number(value)),
  max: (values) => extreme(values, Math.max),
  min: (values) => extreme(values, Math.min),
  pow: ([base, exponent]) => number(number(base) ** number(exponent)),
  signum: ([value]) => Math.sign(number(value)),
  format,
  join: ([by, ...lists]) => {
    const all = lists.flatMap(texts)
    return fits(all.length * text(by).length) && all.join(text(by))
  },
  split: ([by, value]) => text(value).split(text(by)),
  upper: ([value]) => text(value).toUpperCase(),
  lower: ([value]) => text(value).toLowerCase(),
  title: ([value]) =>
    text(value).replace(/(^|\s)(\S)/g, (_, space: string, sign: string) => space + sign.toUpperCase()),
  trim: ([value, signs]) => trimmed(text(value), text(signs)),
  trimspace: ([value]) => text(value).trim(),
  trimprefix: ([value, prefix]) =>
    text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : text(value),
  trimsuffix: ([value, suffix]) =>
    text(suffix) !== '' && text(value).endsWith(text(suffix))
      ? text(value).slice(0, -text(suffix).length)
      : text(value),
  chomp: ([value]) => text(value).replace(/[\r\n]+$/, ''),
  indent: ([spaces, value]) =>
    text(value).replaceAll('\n', `\n${' '.repeat(Math.min(100, Math.max(0, number(spaces))))}`),
  replace: ([value, from, to]) => {
    const parts = text(value).split(text(from))
    return fits(parts.length * text(to).length) && parts.join(text(to))
  },
  regex_replace: regexReplace,
  strlen: ([value]) => size(text(value)),
  strrev: ([value]) => [...text(value)].reverse().join(''),
  substr: ([value, offset, length]) => {
    const signs = [...text(value)]
    const [start, count] = [number(offset), number(length)]
    return signs
      .slice(start, count < 0 ? undefined : (start < 0 ? signs.length + start : start) + count)
      .join('')
  },
  length: ([value]) => size(value),
  concat: (lists) => lists.flatMap(list),
  merge: (maps) =>
    Object.fromEntries(maps.filter((each) => each !== null).flatMap((each) => Object.entries(members(each)))),
  lookup: ([map, name, otherwise]) =>
    Object.hasOwn(members(map), text(name))
      ? (members(map)[text(name)] ?? null)
      : (otherwise ?? wrong(`finds no ${JSON.stringify(text(name))}, and has no default`)),
  keys: ([map]) => sorted(members(map)),
  values: ([map]) => sorted(members(map)).map((name) => members(map)[name] ?? null),
  zipmap: ([names, values]) =>
    Object.fromEntries(texts(names).map((name, at) => [name, list(values)[at] ?? null])),
  range,
  contains: ([values, wanted]) => list(values).some((each) => same(each, wanted ?? null)),
  element: ([values, at]) => {
    const all = list(values)
    return all.length === 0 ? wrong('needs a list that is not empty') : (all[number(at) % all.length] ?? null)
  },
  index: ([values, wanted]) => {
    const at = list(values).findIndex((each) => same(each, wanted ?? null))
    return at < 0 ? wrong('finds no such value') : at
  },
  slice: ([values, start, end]) => list(values).slice(number(start), number(end)),
  reverse: ([values]) => [...list(values)].reverse(),
  sort: ([values]) => [...texts(values)].sort(),
  distinct: ([values]) => unique(list(values)),
  toset: ([values]) => unique(list(values)),
  tolist: ([values]) => list(values),
  flatten: ([values]) => flat(list(values)),
  compact: ([values]) => texts(values).filter((each) => each !== ''),
  coalesce: (values) =>
    values.find((each) => each !== null && each !== '') ?? wrong('needs a value that is not empty'),
  tostring: ([value]) => text(value),
  tonumber: ([value]) => number(value),
  tobool: ([value]) =>
    value === true || value === 'true'
      ? true
      : value === false || value === 'false'
        ? false
        : wrong('expects true or false'),
  jsonencode: ([value]) => JSON.stringify(value ?? null),
  jsondecode: ([value]) => {
    try {
      return JSON.parse(text(value))
    } catch {
      return wrong('expects JSON')
    }
  },
  base64encode: ([value]) =>
    btoa(Array.from(utf8.encode.encode(text(value)), (byte) => String.fromCharCode(byte)).join('')),
  base64decode: ([value]) => {
    try {
      return utf8.decode.decode(Uint8Array.from(atob(text(value)), (sign) => sign.charCodeAt(0)))
    } catch {
      return wrong('expects the base64 of a text')
    }
  },
}
