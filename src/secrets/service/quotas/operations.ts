import * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { argument } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import { mountFinder } from '../../mounts/find-mount.ts'
import { canonicalPath } from '../../mounts/rules.ts'
import { locate } from '../../namespaces/rules.ts'
import { type QuotaSettings, quotaSettings, type RateLimit, type RateLimitTerms } from '../../quotas/model.ts'
import { type NewRateLimit, type QuotaTarget, writeRateLimit } from '../../quotas/write-rate-limit.ts'
import { found } from '../core/answer.ts'
import { named, seconds, texts } from '../core/arguments.ts'
import type { Within } from '../core/context.ts'
import { type Core, rootNamespace } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { mountById } from '../core/find-mounts.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { namespaceIn, namespaceTable, namespaceTableIn } from '../core/namespaces.ts'
import { mountTables } from '../core/records.ts'
import { settingsAt } from './counting.ts'
import { quotaSettingsRecords, rateLimits } from './records.ts'

/** A rate limit as callers see it: with the path that it is for. */
export interface RateLimitView extends RateLimitTerms {
  /** A namespace, a mount, or a path within one; empty for every request. */
  readonly path: string
}

/** The fields of a write to a rate limit, which replaces all of it. */
export interface RateLimitFields extends NewRateLimit {
  /** A namespace, a mount, a path within one, or the beginning of such paths with `*`; every request by default. */
  readonly path?: string | undefined
}

/** Settings of quotas to change. */
export type QuotaSettingsInput = {
  readonly [Name in keyof QuotaSettings]?: QuotaSettings[Name] | undefined
}

const name = named('name')
const rateLimit = argument<RateLimitFields>(
  'input',
  fields({
    rate: z.number(),
    ...z
      .object({
        path: z.string(),
        role: z.string(),
        intervalSeconds: seconds,
        blockIntervalSeconds: seconds,
        inheritable: z.boolean(),
      })
      .partial().shape,
  }),
)
const settings = argument<QuotaSettingsInput>(
  'settings',
  fields(
    z
      .object({
        exemptPaths: texts,
        absoluteExemptPaths: texts,
        auditLogging: z.boolean(),
        responseHeaders: z.boolean(),
      })
      .partial().shape,
  ),
)

/** A rate limit with its path; `undefined` if what it is for was deleted. */
function viewOf(now: Snapshot, quota: RateLimit): RateLimitView | undefined {
  const { namespaceId, mountId, suffix } = quota
  const others = Object.values(namespaceTable(now).namespaces)
  const namespace = [rootNamespace, ...others].find(({ id }) => id === namespaceId)
  const mount = namespace && mountId !== null ? mountById(now, namespace, mountId) : undefined
  if (namespace === undefined || (mountId !== null && mount === undefined)) return undefined
  return {
    name: quota.name,
    path: namespace.path + (mount?.path ?? '') + suffix,
    role: quota.role,
    rate: quota.rate,
    intervalSeconds: quota.intervalSeconds,
    blockIntervalSeconds: quota.blockIntervalSeconds,
    inheritable: quota.inheritable,
  }
}

const viewsNow = async ({ core }: Within): Promise<readonly RateLimitView[]> => {
  const now = await core.fresh()
  return rateLimits
    .list(now)
    .flatMap(({ value }) => viewOf(now, value.quota) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a path is: the commit expects its namespace and its mount unchanged. */
function targetIn({ concepts }: Core, tx: Tx, given: string): QuotaTarget | Refused<'quota_invalid'> {
  const table = namespaceTableIn(tx)
  const whole = canonicalPath(given).replace(/^\/$/, '')
  const located = locate('', whole, table.namespaces)
  const { namespace: at = '', path = '' } = located ?? {}
  const namespace = namespaceIn(table, at) ?? rootNamespace
  const target = { namespaceId: namespace.id, isRootNamespace: at === '' }
  if (path === '') return { ...target, mount: undefined, suffix: '' }
  const mounts = tx.get(mountTables, namespace.id)?.value.table ?? { mounts: {} }
  const hit = mountFinder(mounts)(path)
  if (hit === undefined) return refuse('quota_invalid', `invalid mount path ${JSON.stringify(path)}`)
  const { id, path: mountPath, type } = hit.mount
  const hasRoles = concepts.some(({ loginRole }) => loginRole?.mountTypes.includes(type))
  return { ...target, mount: { id, path: mountPath, hasRoles }, suffix: hit.rest.replace(/\/$/, '') }
}

const keyOf = ({ mountId, namespaceId, name }: RateLimit) => [mountId ?? namespaceId, name] as const

/** The operations on quotas: they are the root namespace's, and name others by their paths. */
export const quotaOperations = {
  /**
   * All rate limits, sorted by name.
   *
   * @example await secrets.quotas.list()
   */
  list: operation({
    takes: [],
    refuses: [],
    run: async (at: Within) => found(await viewsNow(at)),
  }),
  /**
   * A rate limit; `undefined` for none.
   *
   * @example await secrets.quotas.read('global')
   */
  read: operation({
    takes: [name],
    refuses: [],
    run: async (at: Within, name: string) => found((await viewsNow(at)).find((one) => one.name === name)),
  }),
  /**
   * Creates or replaces a rate limit: each client address may send `rate` requests in `intervalSeconds`, and is refused
   * with 429 beyond that. Of several that are for a request, the most specific one counts it. Each server counts for itself.
   *
   * @example await secrets.quotas.write('kv', { path: 'secret/', rate: 100, intervalSeconds: 60 })
   */
  write: operation({
    takes: [name, rateLimit],
    refuses: ['quota_invalid'],
    run: async ({ core }: Within, name: string, { path = '', ...input }: RateLimitFields) => {
      const written = await core.commit<RateLimit, 'quota_invalid'>((tx, env) => {
        const target = targetIn(core, tx, path)
        if (isRefused(target)) return target
        const all = tx.list(rateLimits, []).map(({ value }) => value.quota)
        const made = writeRateLimit(all, { ...input, name, target }, env)
        if (!made.ok) return made
        const before = all.find((one) => one.name === name)
        if (before) tx.delete(rateLimits, ...keyOf(before))
        tx.put(rateLimits, { quota: made.value })
        return core.happened(made, { namespace: '' })
      })
      if (!written.ok) return written
      return found(viewOf(await core.fresh(), written.value))
    },
  }),
  /**
   * Deletes a rate limit; false if it does not exist.
   *
   * @example await secrets.quotas.delete('global')
   */
  delete: operation({
    takes: [name],
    refuses: [],
    run: ({ core }: Within, name: string) =>
      core.commit<boolean>((tx) => {
        const stored = tx.list(rateLimits, []).find(({ value }) => value.quota.name === name)
        if (stored === undefined) return done(false)
        tx.delete(rateLimits, ...keyOf(stored.value.quota))
        return tells(true, { namespace: '', type: 'quota.deleted', name })
      }),
  }),
  /**
   * The settings of all quotas.
   *
   * @example await secrets.quotas.settings()
   */
  settings: operation({
    takes: [],
    refuses: [],
    run: async ({ core }: Within) => found(settingsAt(await core.fresh())),
  }),
  /**
   * Changes the settings of all quotas; omitted ones stay.
   *
   * @example await secrets.quotas.configure({ responseHeaders: true })
   */
  configure: operation({
    takes: [settings],
    refuses: [],
    run: ({ core }: Within, given: QuotaSettingsInput) =>
      core.commit<QuotaSettings>((tx) => {
        const before = tx.get(quotaSettingsRecords, 'it')?.value.settings ?? quotaSettings
        const after: QuotaSettings = {
          exemptPaths: given.exemptPaths ?? before.exemptPaths,
          absoluteExemptPaths: given.absoluteExemptPaths ?? before.absoluteExemptPaths,
          auditLogging: given.auditLogging ?? before.auditLogging,
          responseHeaders: given.responseHeaders ?? before.responseHeaders,
        }
        tx.put(quotaSettingsRecords, { settings: after })
        return tells(after, { namespace: '', type: 'quota.configured' })
      }),
  }),
}

/** The quotas of a service, for programs that embed it. */
export interface QuotasHandle extends SecretsMethods<typeof quotaOperations> {}
