import { readdirSync, readFileSync } from 'node:fs'
import type { Kind, Kinds } from '../../src/filter/index.ts'

/** One verified case of the original: an expression, a datum, and either a result or a kind of error. */
export interface GoCase {
  readonly expr: string
  readonly datum: string
  readonly result?: boolean
  readonly error_kind?: string
  readonly error?: string
  readonly opt?: string
  readonly note?: string
}

interface GoFixture {
  readonly data: Readonly<
    Record<string, { readonly kinds?: Readonly<Record<string, string>>; readonly value: unknown }>
  >
  readonly cases: readonly GoCase[]
}

/** A datum as the engine takes it: the value, and its Go kinds in the terms of the `kinds` option. */
export interface Datum {
  readonly value: unknown
  readonly kinds?: Kinds
}

export interface CaseFile {
  readonly name: string
  readonly cases: readonly GoCase[]
  readonly datum: (name: string) => Datum
}

/** Every case file: those beside the tests, and the one that PLINTH_FILTER_CASES names. */
export function caseFiles(): readonly CaseFile[] {
  const folder = new URL('./fixtures/', import.meta.url)
  const paths: (string | URL)[] = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => new URL(name, folder))
  const extra = process.env['PLINTH_FILTER_CASES']
  if (extra) paths.push(extra)
  return paths.map((path) => {
    const fixture: GoFixture = JSON.parse(readFileSync(path, 'utf8'))
    const data = Object.hasOwn(fixture, 'data') ? fixture.data : ownFixture().data
    const made = new Map<string, Datum>()
    const datum = (name: string): Datum => {
      const known = made.get(name)
      if (known !== undefined) return known
      const entry = data[name]
      if (entry === undefined) throw new Error(`${String(path)} has no datum ${name}`)
      const fresh = entry.kinds === undefined ? { value: entry.value } : goDatum(entry.value, entry.kinds)
      made.set(name, fresh)
      return fresh
    }
    return { name: String(path).split('/').at(-1) ?? '', cases: fixture.cases, datum }
  })
}

const ownFixture = (): GoFixture =>
  JSON.parse(readFileSync(new URL('./fixtures/go-bexpr.json', import.meta.url), 'utf8'))

/** The fields of the structs in the fixture, which it names but does not spell out. */
const structs: Readonly<Record<string, Kinds>> = {
  Disk: { Mount: 'string', SizeGB: 'int', SSD: 'bool', Opts: { map: 'string' } },
  Owner: { Name: 'string', Pager: { pointer: 'string' } },
}

function goDatum(value: unknown, goKinds: Readonly<Record<string, string>>): Datum {
  const fields: Record<string, unknown> = { ...(value as object) }
  const kinds: Record<string, Kind> = {}
  for (const [name, go] of Object.entries(goKinds)) {
    if (go.startsWith('unexported')) {
      delete fields[name]
      continue
    }
    const alias = /exposed as '(\w+)'/.exec(go)?.[1]
    if (alias !== undefined) {
      // In Go the field has the name, and the tag the alias.
      fields[name] = fields[alias]
      delete fields[alias]
      kinds[alias] = { alias: name, kind: kindOfGo(go, undefined) }
      continue
    }
    kinds[name] = /hidden/.test(go) ? 'hidden' : kindOfGo(go, fields[name])
    fields[name] = valueOfGo(go, fields[name])
  }
  return { value: fields, kinds }
}

function kindOfGo(go: string, sample: unknown): Kind {
  const text = go.replace(/^(nil|empty|named) /, '').replace(/( type)?,.*$| type$/, '')
  const pointer = /^pointer to (.*)$/.exec(text)?.[1]
  if (pointer !== undefined) return { pointer: kindOfGo(pointer, sample) }
  const list = /^\[(\d*)\](.*)$/.exec(text)
  if (list !== null) {
    if (list[2] === 'byte') return 'bytes'
    return { list: kindOfGo(list[2] ?? '', first(sample)), fixed: list[1] !== '' }
  }
  const map = /^map\[(\w+)\](.*)$/.exec(text)
  if (map !== null) {
    return { map: kindOfGo(map[2] ?? '', first(sample)), key: map[1] === 'int' ? 'int' : 'string' }
  }
  if (text === 'struct') return { struct: structOf(sample) }
  // An interface holds a value of its own kind.
  if (text.startsWith('interface') || text.startsWith('nil interface')) return 'any'
  return text as Kind
}

const structOf = (sample: unknown): Kinds => {
  const fields = typeof sample === 'object' && sample !== null ? Object.keys(sample) : ['Name', 'Pager']
  const found = Object.values(structs).find((struct) => fields.every((field) => Object.hasOwn(struct, field)))
  if (found === undefined) throw new Error(`no struct has the fields ${fields.join(', ')}`)
  return found
}

const first = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.values(value)[0] : undefined

/** What JSON cannot hold: bytes, and the integers inside interfaces. */
function valueOfGo(go: string, value: unknown): unknown {
  if (go === '[]byte') return new TextEncoder().encode(String(value))
  if (/interface/.test(go)) return Array.isArray(value) ? value.map(integerInside) : integerInside(value)
  return value
}

const integerInside = (value: unknown): unknown =>
  typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value
