import { type Entry, prefixOf } from '../../../store/index.ts'
import type { Concept } from '../core/core.ts'
import { nextUnfinished, prefixesOf, sweepUnfinished } from './kept-text.ts'
import {
  entries,
  entryNames,
  kvConfigs,
  secrets,
  textPieces,
  unfinishedTexts,
  versionData,
} from './records.ts'

/** The data of a secret is stored separately, under its incarnation, and long texts under an id of their own. */
function ofRecord(entry: Entry): readonly string[] {
  const { key } = entry
  if (key.startsWith(secrets.prefix))
    return [prefixOf(versionData.name, secrets.stored(entry).value.secret.incarnation)]
  if (key.startsWith(versionData.prefix)) return prefixesOf(versionData.stored(entry).value)
  return key.startsWith(entryNames.prefix) ? prefixesOf(entryNames.stored(entry).value) : []
}

export const kv: Concept = {
  held: [kvConfigs, secrets, entryNames, unfinishedTexts],
  ofMount: (id) => [
    ...[secrets, entryNames, entries].map(({ name }) => prefixOf(name, id)),
    kvConfigs.keyOf(id),
  ],
  ofRecord,
  large: [textPieces],
  sweep: sweepUnfinished,
  nextExpiry: nextUnfinished,
}
