import { unwrap } from '../kinds/kind-of.ts'
import type { Shape } from '../kinds/shape.ts'

/**
 * The databases that `toSql` writes for; `mysql` is MariaDB, too.
 */
export type SqlDialect = 'postgres' | 'sqlite' | 'mysql'

/** Stands for a parameter in a condition until all are counted; no SQL contains it. */
export const parameterMark = '\0'

/** A parameter, and the expression that it stands in. */
export interface SqlValue {
  readonly value: string | number | bigint | boolean
  readonly sql: string
}

/** The elements of a list as rows of a table, for one quantifier. */
export interface ElementRows {
  /** The index of an element, from 0. */
  readonly key: string
  /** The element; `undefined` if it is an object. */
  readonly value: string | undefined
  /** A member of an element that is an object. */
  readonly member: (names: readonly string[], shape: Shape) => string
  /** The table, once all members that the body reads are known. */
  readonly from: () => string
}

/** In what the databases differ. */
export interface Database {
  readonly quote: '"' | '`'
  readonly placeholder: (at: number) => string
  /** A number or a boolean, with the type that keeps the database from guessing another. */
  readonly scalar: (value: number | bigint | boolean, kind: Shape['type']) => SqlValue
  /** A time, as RFC 3339 in UTC. */
  readonly time: (utc: string) => SqlValue
  /** A column of times, in the form in which it is compared. */
  readonly timeColumn: (column: string) => string
  /** How a string is compared by its code points, if columns compare it otherwise; an index does not help then. */
  readonly exactText?: (text: string) => string
  /** A column of strings, as it is ordered by code point. */
  readonly orderedText: (text: string) => string
  /** Whether LIKE compares code points. */
  readonly likeIsExact: boolean
  /** The character that LIKE is told to escape with; a backslash must be escaped itself in some databases. */
  readonly likeEscape: string
  /** The position of a string in another, from 1; 0 if it is not there. */
  readonly position: (text: string, part: string) => string
  /** The last characters of a string. */
  readonly last: (text: string, length: number) => string
  /** The number of elements of a list; NULL for NULL. */
  readonly length: (list: string, of: Shape) => string
  /** Whether a list has an element; `undefined` if that is asked of its rows. */
  readonly hasElement?: (list: string, element: string) => string
  readonly elements: (list: string, of: Shape, name: string) => ElementRows
}

const isObject = (of: Shape): boolean => unwrap(of).type === 'struct'

const postgres: Database = {
  quote: '"',
  placeholder: (at) => `$${at}`,
  scalar: (value, kind) => {
    if (typeof value === 'boolean') return { value, sql: parameterMark }
    const type =
      kind === 'float32'
        ? 'real'
        : kind === 'float64'
          ? 'double precision'
          : Number.isSafeInteger(value)
            ? 'bigint'
            : 'numeric'
    return { value, sql: `${parameterMark}::${type}` }
  },
  // As text, so that no client truncates it to milliseconds.
  time: (utc) => ({ value: utc, sql: `${parameterMark}::text::timestamptz` }),
  timeColumn: (column) => column,
  orderedText: (text) => `${text} COLLATE "C"`,
  likeIsExact: true,
  likeEscape: '\\',
  position: (text, part) => `strpos(${text}, ${part})`,
  last: (text, length) => `right(${text}, ${length})`,
  length: (list, of) => `${isObject(of) ? 'jsonb_array_length' : 'cardinality'}(${list})`,
  hasElement: (list, element) => `${element} = ANY(${list})`,
  elements: (list, of, name) => ({
    key: `(${name}.${name}_at - 1)`,
    value: isObject(of) ? undefined : `${name}.${name}_value`,
    member: (names, shape) => {
      const type = postgresTypes[unwrap(shape).type] ?? 'text'
      const path = names.map((each, at) => `${at === names.length - 1 ? '->>' : '->'} '${each}'`)
      return `(${name}.${name}_value ${path.join(' ')})::${type}`
    },
    from: () =>
      `${isObject(of) ? 'jsonb_array_elements' : 'unnest'}(${list}) WITH ORDINALITY AS ${name}(${name}_value, ${name}_at)`,
  }),
}

const postgresTypes: Partial<Record<Shape['type'], string>> = {
  bool: 'boolean',
  int: 'numeric',
  uint: 'numeric',
  float32: 'real',
  float64: 'double precision',
  'unix-ms': 'numeric',
  'unix-ns': 'numeric',
  time: 'timestamptz',
}

/** SQLite has no booleans, and its integers have 64 signed bits: a larger number is a float. */
const sqliteNumber = (value: number | bigint | boolean): number | bigint =>
  typeof value === 'bigint' && value < 2n ** 63n ? value : Number(value)

const sqlite: Database = {
  quote: '"',
  placeholder: () => '?',
  scalar: (value) => ({ value: sqliteNumber(value), sql: parameterMark }),
  time: (utc) => {
    const [whole = '', fraction = ''] = utc.slice(0, -1).split('.')
    const us = BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
    return {
      value: us >= Number.MIN_SAFE_INTEGER && us <= Number.MAX_SAFE_INTEGER ? Number(us) : us,
      sql: parameterMark,
    }
  },
  // Microseconds since 1970: SQLite's own times round to the millisecond, and have no offsets of more than 14 hours.
  timeColumn: (column) => {
    const at = `upper(${column})`
    const zone = `CASE WHEN ${at} LIKE '%Z' THEN 1 ELSE 6 END`
    const offset = `CASE substr(${at}, -6, 1) WHEN '+' THEN 1 WHEN '-' THEN -1 ELSE 0 END * (substr(${at}, -5, 2) * 3600 + substr(${at}, -2) * 60)`
    const seconds = `(CAST(strftime('%s', substr(${at}, 1, 19)) AS INTEGER) - ${offset})`
    const fraction = `substr(${at}, 21, max(0, length(${at}) - 20 - (${zone})))`
    return `(${seconds} * 1000000 + CAST(substr(${fraction} || '000000', 1, 6) AS INTEGER))`
  },
  orderedText: (text) => `${text} COLLATE BINARY`,
  // It ignores case; it is there for the index.
  likeIsExact: false,
  likeEscape: '\\',
  position: (text, part) => `instr(${text}, ${part})`,
  last: (text, length) => `substr(${text}, -${length})`,
  length: (list) => `json_array_length(${list})`,
  elements: (list, of, name) => ({
    key: `${name}.${name}_key`,
    value: isObject(of) ? undefined : `${name}.${name}_value`,
    member: (names) => `(${name}.${name}_value ->> '$.${names.map((each) => `"${each}"`).join('.')}')`,
    // The inner names keep a column called "key" or "value", as json_each has them, from being ambiguous.
    from: () =>
      `(SELECT item.key AS ${name}_key, item.value AS ${name}_value FROM (SELECT ${list} AS list) AS field, json_each(field.list) AS item) AS ${name}`,
  }),
}

/** Collations may ignore case, accents and trailing spaces. */
const bytes = (text: string): string => `CAST(${text} AS BINARY)`

const mysql: Database = {
  quote: '`',
  placeholder: () => '?',
  scalar: (value, kind) => {
    if (typeof value === 'boolean') return { value: Number(value), sql: parameterMark }
    if (kind === 'float32' || kind === 'float64' || !(typeof value === 'bigint' || Number.isInteger(value))) {
      return { value: Number(value), sql: `(${parameterMark} + 0e0)` }
    }
    return Number.isSafeInteger(value)
      ? { value, sql: `CAST(${parameterMark} AS SIGNED)` }
      : { value: String(BigInt(value)), sql: `CAST(${parameterMark} AS DECIMAL(65))` }
  },
  time: (utc) => ({
    value: utc.slice(0, -1).replace('T', ' '),
    sql: `CAST(${parameterMark} AS DATETIME(6))`,
  }),
  timeColumn: (column) => column,
  exactText: bytes,
  orderedText: bytes,
  likeIsExact: false,
  likeEscape: '!',
  position: (text, part) => `instr(${bytes(text)}, ${bytes(part)})`,
  last: (text, length) => `right(${text}, ${length})`,
  length: (list) => `json_length(${list})`,
  elements: (list, of, name) => {
    const members = new Map<string, string>()
    const column = (path: string, shape: Shape): string => {
      const type = mysqlTypes[unwrap(shape).type] ?? 'LONGTEXT'
      const declared = `${type} PATH '${path}'`
      const found = members.get(declared) ?? `${name}_${members.size}`
      members.set(declared, found)
      return `${name}.${found}`
    }
    return {
      key: `(${name}.${name}_at - 1)`,
      value: isObject(of) ? undefined : column('$', of),
      member: (names, shape) => column(`$.${names.join('.')}`, shape),
      from: () => {
        const columns = [...members].map(([declared, found]) => `, ${found} ${declared}`)
        return `JSON_TABLE(${list}, '$[*]' COLUMNS (${name}_at FOR ORDINALITY${columns.join('')})) AS ${name}`
      },
    }
  },
}

const mysqlTypes: Partial<Record<Shape['type'], string>> = {
  bool: 'TINYINT',
  int: 'DECIMAL(65)',
  uint: 'DECIMAL(65)',
  float32: 'DOUBLE',
  float64: 'DOUBLE',
  'unix-ms': 'DECIMAL(65)',
  'unix-ns': 'DECIMAL(65)',
}

export const databases: Readonly<Record<SqlDialect, Database>> = { postgres, sqlite, mysql }
