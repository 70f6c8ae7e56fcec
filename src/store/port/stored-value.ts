import { StoreError } from './errors.ts'
import { parseFrozen } from './json.ts'
import { shown } from './keys.ts'
import type { Json } from './port.ts'

/** The value of a key from the text an adapter kept; what the parser says of a damaged one would show some of it. */
export function parseStored(key: string, text: string): Json {
  try {
    return parseFrozen(text)
  } catch {
    throw new StoreError('corrupt', `the value of ${shown(key)} is damaged: restore a backup`)
  }
}
