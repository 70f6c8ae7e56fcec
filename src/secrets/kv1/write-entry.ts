import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse } from '../../kernel/index.ts'
import type { Entry, EntryEvent } from './model.ts'

/**
 * Replaces an unversioned secret by the given fields, never merging.
 *
 * @param input - `json`: the fields as the text of a JSON object
 * @returns an empty value, or `missing_fields` if there are none
 *
 * @example
 * ```ts
 * import { unwrapStep } from 'plinth'
 * import { writeEntry } from 'plinth/kv'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * unwrapStep(writeEntry(undefined, { json: '{"user":"ada"}' }, env)).state // { json: '{"user":"ada"}' }
 * writeEntry(undefined, { json: '{}' }, env).ok // false
 * ```
 */
export function writeEntry(
  _entry: Entry | undefined,
  input: { readonly json: string },
  _env?: Env,
): Outcome<Entry, undefined, EntryEvent, 'missing_fields'> {
  checkInput(input, { json: '' }, {})
  if (/^\s*\{\s*\}\s*$/.test(input.json)) return refuse('missing_fields', 'missing data fields')
  return {
    ok: true,
    state: { json: input.json },
    value: undefined,
    events: [{ type: 'kv.written', version: 0 }],
  }
}
