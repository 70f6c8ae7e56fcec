import { type Refused, refuse } from '../../kernel/index.ts'
import type { Module } from '../modules/model.ts'
import { formatAddress } from '../modules/names.ts'
import { parseVersion } from './number.ts'

/** The index of a version in its module, by any spelling of its number. */
export function findNumber(
  module: Module,
  version: string,
): { readonly ok: true; readonly at: number; readonly number: string } | Refused<'version_not_found'> {
  const number = parseVersion(version)?.canonical
  const at = module.versions.findIndex((known) => known.number === number)
  return number === undefined || at < 0
    ? refuse('version_not_found', `${formatAddress(module)} has no version ${JSON.stringify(version)}`)
    : { ok: true, at, number }
}
