import { passedInSlices } from '../../kernel/in-slices.ts'
import type { Answer } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import {
  changedQuota,
  noRule,
  type Pruned,
  type PrunedVersion,
  type PruneOptions,
  type QuotaChanges,
  type QuotaUse,
} from '../../quota/quota.ts'
import { foldName } from '../boxes/names.ts'
import { boxes, quotas } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import {
  type AccessRefusal,
  administratorProblem,
  changing,
  locateOwner,
  lookupIn,
} from '../service/guard.ts'
import { pruneBox, quotaOf, usedBy } from '../service/quota.ts'
import { pruneOptions, quotaChanges, username } from './arguments.ts'

const reading = ['not_found', 'delinquent', 'unauthenticated', 'forbidden'] as const

async function readQuota(core: Core, username: string): Promise<Answer<QuotaUse<'boxes'>, AccessRefusal>> {
  const now = await snapshot(core)
  const located = locateOwner(lookupIn(now), username, core.caller, 'publisher')
  if (!located.ok) return located
  const { username: owner } = located.owner
  return { ok: true, value: { owner, used: usedBy(now, owner), quota: quotaOf(core, now, owner) } }
}

/** The operations on what an owner may have, and on the versions that it keeps. */
export const quotaOperations = {
  /**
   * Reads what an owner has and may have, as a publisher of it.
   *
   * @example await catalog.readQuota('acme')
   */
  readQuota: operation({
    takes: [username],
    refuses: reading,
    run: readQuota,
  }),
  /**
   * Changes what an owner may have, as an administrator, or how many versions of each box it keeps, as an `admin` of it.
   * What an owner has already stays; the versions that a rule does not keep are deleted within an hour.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   *
   * await catalog.putQuota('alice', { boxes: 1, keepVersions: 10 })
   * await catalog.createBox({ username: 'alice', name: 'base' })
   * const more = await catalog.createBox({ username: 'alice', name: 'more' })
   * more.ok ? '' : more.refusal.code // 'quota_exceeded'
   * await catalog.close()
   * ```
   */
  putQuota: operation({
    takes: [username, quotaChanges],
    refuses: changing,
    run: async (core: Core, username: string, changes: QuotaChanges<'boxes'>) => {
      const { keepVersions, ...most } = changes
      const isOwners = Object.values(most).every((value) => value === undefined)
      const changed = await change<undefined, AccessRefusal>(core, (tx) => {
        const located = locateOwner(tx, username, core.caller, 'admin')
        const problem = isOwners ? undefined : administratorProblem(core.caller, 'change quotas')
        if (problem) return problem
        if (!located.ok) return located
        const owner = foldName(username)
        const quota = changedQuota(tx.get(quotas, owner)?.value.quota ?? {}, changes)
        tx.put(quotas, { owner, quota })
        const { username: name } = located.owner
        const event = { type: 'quota.set', username: name, quota: JSON.stringify(changes) } as const
        return { ok: true, value: undefined, events: [event] }
      })
      return changed.ok ? readQuota(core, username) : changed
    },
  }),
  /**
   * Deletes the versions of all boxes of an owner below the highest active ones, which it returns; never the latest, and
   * never unreleased ones.
   *
   * @example await catalog.pruneVersions('acme', { keepVersions: 3, dryRun: true })
   */
  pruneVersions: operation({
    takes: [username, pruneOptions],
    refuses: [...reading, 'invalid_quota'],
    run: async (
      core: Core,
      username: string,
      { keepVersions, dryRun = false }: PruneOptions = {},
    ): Promise<Answer<Pruned, AccessRefusal | 'invalid_quota'>> => {
      const now = await snapshot(core)
      const located = locateOwner(lookupIn(now), username, core.caller, 'admin')
      if (!located.ok) return located
      const { username: owner } = located.owner
      const keep = keepVersions ?? quotaOf(core, now, owner).keepVersions
      if (keep === undefined) return noRule(owner)
      const versions: PrunedVersion[] = []
      for await (const { value } of passedInSlices(boxes.list(now, foldName(owner))))
        versions.push(...(await pruneBox(core, value, keep, dryRun)))
      return { ok: true, value: { versions, dryRun } }
    },
  }),
}
