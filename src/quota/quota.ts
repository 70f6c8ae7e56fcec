import * as z from 'zod'
import { type Refused, refuse } from '../kernel/index.ts'
import { collection } from '../store/index.ts'

/** What an owner has: objects that have versions, their versions, and the bytes of both. */
export type Amounts<Noun extends string> = { readonly [What in 'bytes' | 'versions' | Noun]: number }

/**
 * What an owner may have at most, and how many versions of each object are kept (`keepVersions`); what is omitted has the
 * default of the service.
 */
export type Quota<Noun extends string> = {
  readonly [What in keyof Amounts<Noun> | 'keepVersions']?: number | undefined
}

/**
 * A change of a {@link Quota}: `null` restores the default, and omitted fields stay unchanged.
 */
export type QuotaChanges<Noun extends string> = {
  readonly [What in keyof Quota<Noun>]?: number | null | undefined
}

/**
 * What an owner has, and what it may have.
 */
export interface QuotaUse<Noun extends string> {
  readonly owner: string
  readonly used: Amounts<Noun>
  /** The defaults of the service included; what is omitted is not limited. */
  readonly quota: Quota<Noun>
}

/**
 * Which versions to delete.
 */
export interface PruneOptions {
  /** How many versions of each object to keep; those of the quota by default. */
  readonly keepVersions?: number | undefined
  /** Deletes nothing; false by default. */
  readonly dryRun?: boolean | undefined
}

/**
 * The deleted versions, or those that would be deleted.
 */
export interface Pruned {
  readonly versions: readonly PrunedVersion[]
  readonly dryRun: boolean
}

/**
 * A deleted version.
 */
export interface PrunedVersion {
  /** The box, or the module. */
  readonly of: string
  readonly version: string
  readonly bytes: number
}

/** The quotas of one service, by the folded names of the owners. */
export const quotaCollection = <Noun extends string>() =>
  collection<{ readonly owner: string; readonly quota: Quota<Noun> }>({
    name: 'quota',
    key: ({ owner }) => [owner],
    scopes: () => [],
  })

/** Returns why an owner may not have more. */
export function quotaProblem<Noun extends string>(
  owner: string,
  { used, quota }: Pick<QuotaUse<Noun>, 'used' | 'quota'>,
  added: { readonly [What in keyof Amounts<Noun>]?: number | undefined },
): Refused<'quota_exceeded'> | undefined {
  for (const what of namesOf(added)) {
    const [more = 0, most] = [added[what], quota[what]]
    if (more > 0 && most !== undefined && used[what] + more > most)
      return refuse(
        'quota_exceeded',
        `${owner} has ${used[what]} ${what}, and may have ${most}: delete what is no longer needed, or ask an administrator to raise the quota`,
      )
  }
  return undefined
}

/** A quota after a change. */
export function changedQuota<Noun extends string>(
  before: Quota<Noun>,
  changes: QuotaChanges<Noun>,
): Quota<Noun> {
  const after: { [What in keyof Quota<Noun>]?: number | undefined } = Object.assign({}, before)
  for (const what of namesOf(changes)) {
    const most = changes[what]
    if (most === null) delete after[what]
    else if (most !== undefined) after[what] = most
  }
  return after
}

const namesOf = <T extends object>(fields: T) => Object.keys(fields) as (keyof T)[]

/** The refusal of a pruning without a rule. */
export const noRule = (owner: string) =>
  refuse(
    'invalid_quota',
    `${owner} has no rule for how many versions to keep: pass keep_versions, or set it in the quota of ${owner}`,
  )

const Most = z.int().min(0)
const Keep = z.int().min(1)

/** The shape of the quota of an owner in arguments. */
export const quotaFields = { bytes: Most.nullish(), versions: Most.nullish(), keepVersions: Keep.nullish() }
export const quotaField = Most.nullish()
export const pruneFields = { keepVersions: Keep.optional(), dryRun: z.boolean().optional() }

/** The same on the wire. */
export const QuotaBody = z.strictObject({
  bytes: Most.nullish(),
  versions: Most.nullish(),
  keep_versions: Keep.nullish(),
})
export const PruneBody = z.strictObject({ keep_versions: Keep.optional(), dry_run: z.boolean().optional() })
export const pruneOptionsOf = ({ keep_versions, dry_run }: z.infer<typeof PruneBody>): PruneOptions => ({
  keepVersions: keep_versions,
  dryRun: dry_run,
})
export const PruneReply = z
  .object({
    versions: z.array(z.object({ of: z.string(), version: z.string(), bytes: z.int() })),
    dry_run: z.boolean(),
  })
  .meta({ id: 'Pruned' })
export const pruneView = ({ versions, dryRun }: Pruned): z.infer<typeof PruneReply> => ({
  versions: versions.map((version) => ({ ...version })),
  dry_run: dryRun,
})
const amountsOf = <Noun extends string>(noun: Noun, amount: z.ZodType) =>
  z.object({ bytes: amount, [noun]: amount, versions: amount })
export const quotaReply = (noun: string) =>
  z
    .object({
      owner: z.string(),
      used: amountsOf(noun, z.int()),
      quota: amountsOf(noun, z.int().nullable()).extend({ keep_versions: z.int().nullable() }),
    })
    .meta({ id: 'Quota' })

/** A quota as answers have it: null where nothing is limited. */
export const quotaView = <Noun extends string>(noun: Noun, { owner, used, quota }: QuotaUse<Noun>) => ({
  owner,
  used,
  quota: {
    bytes: quota.bytes ?? null,
    [noun]: quota[noun] ?? null,
    versions: quota.versions ?? null,
    keep_versions: quota.keepVersions ?? null,
  },
})
