import { type Refused, refuse } from '../../../kernel/index.ts'
import { type ExactJson, isExactObject, readExact } from '../../kv2/exact-json.ts'

/** Reading or writing a longer text takes milliseconds, and is a turn of the event loop of its own. */
export const longUnits = 1024 * 1024

/** Why a body is not a valid secret. */
export type BodyRefusal = 'data_not_a_map' | 'data_too_deep'

/** A body as an object whose numbers keep their digits; a missing body is empty. */
export function readBody(text: string): ReadonlyMap<string, ExactJson> | Refused<BodyRefusal> {
  if (text === '') return new Map()
  try {
    const body = readExact(text)
    return isExactObject(body)
      ? body
      : refuse('data_not_a_map', 'failed to parse JSON input: the body must be an object')
  } catch {
    // It is JSON, as checked by the edge; only its depth can be wrong.
    return refuse('data_too_deep', 'failed to parse JSON input: nested deeper than 500 levels')
  }
}
