import type { ModuleRow } from '../search/row.ts'
import { latestVersion } from '../versions/order.ts'
import type { Module } from './model.ts'

/**
 * A module as lists show it; `undefined` while it has no version, because it can be neither listed nor installed.
 *
 * @public
 */
export function moduleRow(module: Module, downloads: number): ModuleRow | undefined {
  const latest = latestVersion(module.versions)
  if (!latest) return undefined
  const { id, namespace, name, provider, owner, description, source, verified } = module
  const { number, publishedMicros } = latest
  const row = { id, namespace, name, provider, owner, description, source, verified, downloads }
  return { ...row, version: number, publishedMicros }
}
