import { StoreError } from './errors.ts'
import { parseFrozen } from './json.ts'
import { shown } from './keys.ts'
import type { Json } from './port.ts'

/** Parses the stored value of a key; the parser's own error for a damaged one would reveal a part of it. */
export function parseStored(key: string, text: string): Json {
  try {
    return parseFrozen(text)
  } catch {
    throw new StoreError('corrupt', `the value of ${shown(key)} is damaged: restore a backup`)
  }
}
