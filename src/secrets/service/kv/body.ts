import { type Refused, refuse } from '../../../kernel/index.ts'
import { isObject } from '../../../kernel/objects.ts'
import { nextMacrotask } from '../../../kernel/next-macrotask.ts'
import { type ExactJson, isExactObject, writeExact } from '../../kv2/exact-json.ts'
import { type BodyRefusal, longUnits, readBody } from '../core/exact-body.ts'
import { kindOf, unrecognized } from '../core/fields.ts'
import { readCas } from './wire.ts'

/** The input of a write or a patch. */
export interface WriteBody {
  /** The data, with all digits. */
  readonly json: string
  /** The version that must be the current one. */
  readonly cas: number | undefined
}

/** A value as plain JSON. */
const plain = (value: ExactJson): unknown => JSON.parse(writeExact(value))

const notAMap = (field: 'data' | 'options', value: ExactJson): Refused<'data_not_a_map'> =>
  refuse(
    'data_not_a_map',
    `Field validation failed: error converting input for field "${field}": expected a map, not ${kindOf(plain(value))}`,
  )

type WriteRefusal = BodyRefusal | 'no_data' | 'cas_not_a_number'

/** Reads the body of a write or a patch. */
export async function readWriteBody(text: string): Promise<WriteBody | Refused<WriteRefusal>> {
  const body = readBody(text)
  if (text.length > longUnits) await nextMacrotask()
  if ('ok' in body) return body
  const data = body.get('data') ?? null
  if (data === null) return refuse('no_data', 'no data provided')
  if (!isExactObject(data)) return notAMap('data', data)
  const options = body.get('options') ?? null
  if (options === null) return { json: writeExact(data), cas: undefined }
  if (!isExactObject(options)) return notAMap('options', options)
  const read = readCas(plain(options))
  if (read === 'invalid') return refuse('cas_not_a_number', 'error parsing check-and-set parameter')
  return { json: writeExact(data), cas: read.cas }
}

/** A warning about the fields of a body that a write ignores. */
export function ignoredFields(body: unknown): readonly string[] {
  const names = isObject(body) ? Object.keys(body) : []
  const ignored = names.filter((name) => !['data', 'options', 'version'].includes(name))
  return ignored.length === 0 ? [] : [unrecognized(ignored.sort())]
}
