import { passedInSlices } from '../../kernel/in-slices.ts'
import type { Answer, Refused } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import {
  type Amounts,
  changedQuota,
  noRule,
  type Pruned,
  type PrunedVersion,
  type PruneOptions,
  type Quota,
  type QuotaChanges,
  type QuotaUse,
  quotaProblem,
} from '../../quota/quota.ts'
import type { Snapshot } from '../../store/index.ts'
import type { Module } from '../modules/model.ts'
import { addressProblem, foldName, formatAddress } from '../modules/names.ts'
import {
  addressParts,
  contents,
  looseArchives,
  modules,
  quotas,
  type RegistryTx,
  versions,
} from '../records.ts'
import { latestVersion } from '../versions/order.ts'
import { removeVersion } from '../versions/remove.ts'
import { namespace, pruneOptions, quotaChanges } from './arguments.ts'
import type { RegistryParts } from './parts.ts'

/** What a namespace may have, with the defaults of the registry. */
function quotaOf(
  { limits, keepVersions }: Pick<RegistryParts, 'limits' | 'keepVersions'>,
  now: Snapshot,
  namespace: string,
): Quota<'modules'> {
  const own = quotas.get(now, foldName(namespace))?.value.quota
  return {
    bytes: own?.bytes ?? limits.bytesPerNamespace,
    modules: own?.modules ?? limits.modulesPerNamespace,
    versions: own?.versions ?? limits.versionsPerNamespace,
    keepVersions: own?.keepVersions ?? keepVersions,
  }
}

/** What a namespace has. */
const usedBy = (now: Snapshot, namespace: string): Amounts<'modules'> =>
  amountsOf(modules.list(now, foldName(namespace)).map(({ value }) => value))

/** What modules have together. */
export function amountsOf(own: readonly Module[]): Amounts<'modules'> {
  let [bytes, count] = [0, 0]
  for (const { versions } of own) {
    count += versions.length
    for (const { size = 0 } of versions) bytes += size
  }
  return { bytes, modules: own.length, versions: count }
}

type Added = Parameters<typeof quotaProblem<'modules'>>[2]

const isLimited = ({ bytes, modules, versions }: Quota<'modules'>): boolean =>
  bytes !== undefined || modules !== undefined || versions !== undefined

/** Returns why a namespace cannot have more, as far as is known before a commit. */
export function fullProblem(
  parts: RegistryParts,
  now: Snapshot,
  namespace: string,
  added: Added,
): Refused<'quota_exceeded'> | undefined {
  const quota = quotaOf(parts, now, namespace)
  return isLimited(quota)
    ? quotaProblem(namespace, { used: usedBy(now, namespace), quota }, added)
    : undefined
}

/** Returns why a namespace cannot have more; where that is limited, nothing else is added to it concurrently. */
export function growthProblem(
  parts: RegistryParts,
  tx: RegistryTx,
  namespace: string,
  added: Added,
): Refused<'quota_exceeded'> | undefined {
  if (!isLimited(quotaOf(parts, tx.now, namespace))) return undefined
  tx.guard('growth', foldName(namespace))
  tx.touch('growth', foldName(namespace))
  return fullProblem(parts, tx.now, namespace, added)
}

/** A commit holds 64 keys: two records of each version, its archive and its entry in the audit trail. */
const versionsPerCommit = 12

/** The versions of a module that are neither among its `keep` highest nor the latest. */
function surplusIn(module: Module, keep: number) {
  const latest = latestVersion(module.versions)
  return module.versions.slice(0, -keep).filter((version) => version !== latest)
}

/** Deletes the versions of a module that the rule of its namespace does not keep; returns them. */
async function pruneModule(
  { commit, archives }: RegistryParts,
  found: Module,
  keep: number,
  dryRun: boolean,
): Promise<readonly PrunedVersion[]> {
  const shown = ({ number, size = 0 }: Module['versions'][number]) => ({
    of: formatAddress(found),
    version: number,
    bytes: size,
  })
  if (dryRun) return surplusIn(found, keep).map(shown)
  const all: PrunedVersion[] = []
  for (;;) {
    const removed = await commit<Module['versions'], never>((tx, env) => {
      const before = tx.get(modules, ...addressParts(found))?.value
      if (before?.id !== found.id) return { ok: true, value: [], events: [] }
      const batch = surplusIn(before, keep).slice(0, versionsPerCommit)
      let module = before
      const events = batch.flatMap(({ number, blob }) => {
        const outcome = removeVersion(module, { version: number }, env)
        if (!outcome.ok) return []
        module = outcome.state
        tx.delete(versions, module.id, number)
        tx.delete(contents, module.id, number)
        if (blob !== undefined) tx.put(looseArchives, { blob, since: env.now })
        return outcome.events
      })
      tx.put(modules, module)
      return { ok: true, value: batch, events }
    })
    if (!removed.ok || removed.value.length === 0) return all
    for (const { blob } of removed.value) if (blob !== undefined) await archives.discard(blob)
    all.push(...removed.value.map(shown))
  }
}

/** Deletes the versions that the rules of all namespaces do not keep; returns their number. */
export async function pruneAll(parts: RegistryParts): Promise<number> {
  const { now } = await parts.present()
  let count = 0
  for await (const { value: module } of passedInSlices(modules.list(now))) {
    const { keepVersions } = quotaOf(parts, now, module.namespace)
    if (keepVersions !== undefined) count += (await pruneModule(parts, module, keepVersions, false)).length
  }
  return count
}

async function readQuota(parts: RegistryParts, namespace: string): Promise<QuotaUse<'modules'>> {
  const { now } = await parts.present()
  return { owner: namespace, used: usedBy(now, namespace), quota: quotaOf(parts, now, namespace) }
}

/** The operations on what a namespace may have, and on the versions that it keeps. */
export const quotaOperations = {
  /**
   * Reads what a namespace has and may have.
   *
   * @example await registry.readQuota('acme')
   */
  readQuota: operation({
    takes: [namespace],
    refuses: [],
    run: async (parts: RegistryParts, namespace: string) => ({
      ok: true as const,
      value: await readQuota(parts, namespace),
    }),
  }),
  /**
   * Changes what a namespace may have, or how many versions of each module it keeps. What it has already stays; the
   * versions that a rule does not keep are removed within an hour.
   *
   * @example
   * ```ts
   * import { createRegistry } from 'plinth/registry'
   *
   * const registry = createRegistry()
   * await registry.putQuota('acme', { modules: 1, keepVersions: 10 })
   * await registry.publishModule({ namespace: 'acme', name: 'vpc', provider: 'aws' })
   * const more = await registry.publishModule({ namespace: 'acme', name: 'dns', provider: 'aws' })
   * more.ok ? '' : more.refusal.code // 'quota_exceeded'
   * await registry.close()
   * ```
   */
  putQuota: operation({
    takes: [namespace, quotaChanges],
    refuses: ['invalid_module_name'],
    run: async (
      parts: RegistryParts,
      namespace: string,
      changes: QuotaChanges<'modules'>,
    ): Promise<Answer<QuotaUse<'modules'>, 'invalid_module_name'>> => {
      const misnamed = addressProblem({ namespace, name: 'any', provider: 'any' })
      if (misnamed) return misnamed
      const owner = foldName(namespace)
      await parts.commit((tx) => {
        tx.put(quotas, { owner, quota: changedQuota(tx.get(quotas, owner)?.value.quota ?? {}, changes) })
        const event = { type: 'quota.set', namespace, quota: JSON.stringify(changes) } as const
        return { ok: true, value: undefined, events: [event] }
      })
      return { ok: true, value: await readQuota(parts, namespace) }
    },
  }),
  /**
   * Removes the versions of all modules of a namespace below the highest ones, which it returns; never the latest of a
   * module.
   *
   * @example await registry.pruneVersions('acme', { keepVersions: 3, dryRun: true })
   */
  pruneVersions: operation({
    takes: [namespace, pruneOptions],
    refuses: ['invalid_quota'],
    run: async (
      parts: RegistryParts,
      namespace: string,
      { keepVersions, dryRun = false }: PruneOptions = {},
    ): Promise<Answer<Pruned, 'invalid_quota'>> => {
      const { now } = await parts.present()
      const keep = keepVersions ?? quotaOf(parts, now, namespace).keepVersions
      if (keep === undefined) return noRule(namespace)
      const versions: PrunedVersion[] = []
      for await (const { value } of passedInSlices(modules.list(now, foldName(namespace))))
        versions.push(...(await pruneModule(parts, value, keep, dryRun)))
      return { ok: true, value: { versions, dryRun } }
    },
  }),
}
