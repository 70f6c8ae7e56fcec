import type { ModuleRow } from '../search/row.ts'
import { latestVersion } from '../versions/order.ts'
import type { Module } from './model.ts'

/**
 * A module as lists show it; `undefined` while it has no version, because it can be neither listed nor installed.
 *
 * @param downloads - its total number of downloads
 *
 * @example
 * ```ts
 * import { systemEnv } from 'plinth'
 * import { moduleRow, publishModule, publishVersion } from 'plinth/registry'
 *
 * const env = systemEnv()
 * const made = publishModule(undefined, { namespace: 'acme', name: 'vpc', provider: 'aws' }, env)
 * if (made.ok) {
 *   moduleRow(made.state, 0) // undefined
 *   const published = publishVersion(made.state, { version: '1.2', source: 'https://example.com/vpc.zip' }, env)
 *   published.ok && moduleRow(published.state, 7)?.version // '1.2.0'
 * }
 * ```
 */
export function moduleRow(module: Module, downloads: number): ModuleRow | undefined {
  const latest = latestVersion(module.versions)
  if (!latest) return undefined
  const { id, namespace, name, provider, owner, description, source, verified, labels } = module
  const { number: version, publishedMicros } = latest
  return {
    id,
    namespace,
    name,
    provider,
    owner,
    description,
    source,
    verified,
    labels,
    downloads,
    version,
    publishedMicros,
  }
}
