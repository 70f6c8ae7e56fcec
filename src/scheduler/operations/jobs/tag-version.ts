import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { argument, aText } from '../../../operation/arguments.ts'
import { fields } from '../../../operation/known-fields.ts'
import { operation } from '../../../operation/operation.ts'
import type { JobSpec } from '../../jobs/model.ts'
import {
  type JobTagsRecord,
  jobTagRecords,
  jobVersionRecords,
  raiseJobLists,
} from '../../records/collections.ts'
import type { Cluster } from '../../service/cluster.ts'
import type { Ledger } from '../../service/write/ledger.ts'
import { earlierVersions } from '../../service/write/specification.ts'
import { nanoseconds } from '../../values/instants.ts'
import { call, id } from '../arguments.ts'
import type { JobCall } from '../calls.ts'
import { actOnJob } from './act-on-job.ts'

/**
 * The version of a job to tag, and a description.
 */
export interface TagVersionInput {
  readonly name: string
  /** The current one by default. */
  readonly version?: number | undefined
  readonly description?: string | undefined
}

/**
 * The name of a version.
 */
export interface VersionTagged {
  readonly Name: string
  readonly Description: string
  /** Nanoseconds since the epoch. */
  readonly TaggedTime: number
}

const tag = argument<TagVersionInput>(
  'input',
  fields({
    name: z.string(),
    version: z.int().min(0).optional(),
    description: z.string().optional(),
  } satisfies Record<keyof TagVersionInput, z.ZodType>),
)
const name = argument<string>('name', aText)

/** Every tagged version is kept, and a job is removed in one commit. */
const maxTags = 16

const tagsOf = ({ tx }: Ledger, { Namespace, ID }: JobSpec): JobTagsRecord['Tags'] =>
  tx.get(jobTagRecords, Namespace, ID)?.value.Tags ?? {}

function putTags({ tx }: Ledger, job: JobSpec, Tags: JobTagsRecord['Tags']): void {
  const { Namespace, ID } = job
  tx.put(jobTagRecords, { Namespace, ID, Tags })
  tx.touch(jobVersionRecords.name, 'job', Namespace, ID)
  raiseJobLists(tx, job)
}

export const tagOperations = {
  /**
   * Tags a version of a job, which keeps it from garbage collection; requires `namespace:submit-job`.
   *
   * @example
   * ```ts
   * import { createScheduler } from 'plinth/scheduler'
   * import { memoryStore } from 'plinth/store'
   *
   * const scheduler = createScheduler({ store: memoryStore() })
   * await scheduler.registerJob({ ID: 'web', TaskGroups: [{ Name: 'app', Tasks: [{ Name: 'server' }] }] })
   * await scheduler.tagJobVersion('web', { name: 'golden', version: 0 })
   * const found = await scheduler.readJob('web')
   * found.ok && found.value.VersionTag?.Name // 'golden'
   * ```
   */
  tagJobVersion: operation({
    takes: [id, tag, call],
    refuses: ['permission_denied', 'job_not_found', 'job_version_not_found', 'invalid_version_tag'],
    run: (cluster: Cluster, id: string, input: TagVersionInput, call: JobCall = {}) =>
      actOnJob(cluster, id, call, { may: ['submit-job'] }, (ledger, { value: job }, env) => {
        const { name: Name, version = job.Version, description: Description = '' } = input
        if (Name === '' || Name.length > 128 || Description.length > 1000)
          return refuse(
            'invalid_version_tag',
            'a tag has a name of 1 to 128 characters, and a description of at most 1000',
          )
        const isKept =
          version === job.Version || earlierVersions(ledger, job).some(({ Version }) => Version === version)
        if (!isKept)
          return refuse(
            'job_version_not_found',
            `job "${job.ID}" in namespace "${job.Namespace}" at version ${version} not found`,
          )
        const before = tagsOf(ledger, job)
        const elsewhere = Object.entries(before).find(
          ([at, each]) => each.Name === Name && at !== String(version),
        )
        if (elsewhere !== undefined)
          return refuse(
            'invalid_version_tag',
            `tag "${Name}" already exists on a different version of job "${job.ID}"`,
          )
        const Tag: VersionTagged = { Name, Description, TaggedTime: nanoseconds(env.now) }
        const Tags = { ...before, [version]: Tag }
        if (Object.keys(Tags).length > maxTags)
          return refuse('invalid_version_tag', `a job has at most ${maxTags} tagged versions`)
        putTags(ledger, job, Tags)
        return { ok: true, value: (rev) => ({ ok: true, value: Tag, index: rev }), events: [] }
      }),
  }),

  /**
   * Removes the tag of a version, which can then be garbage-collected; requires `namespace:submit-job`.
   *
   * @example await scheduler.untagJobVersion('web', 'known-good')
   */
  untagJobVersion: operation({
    takes: [id, name, call],
    refuses: ['permission_denied', 'job_not_found', 'version_tag_not_found'],
    run: (cluster: Cluster, id: string, name: string, call: JobCall = {}) =>
      actOnJob(cluster, id, call, { may: ['submit-job'] }, (ledger, { value: job }) => {
        const before = Object.entries(tagsOf(ledger, job))
        const left = before.filter(([, each]) => each.Name !== name)
        if (left.length === before.length)
          return refuse('version_tag_not_found', `tag ${JSON.stringify(name)} not found on job "${job.ID}"`)
        putTags(ledger, job, Object.fromEntries(left))
        return { ok: true, value: (rev) => ({ ok: true, value: {}, index: rev }), events: [] }
      }),
  }),
}
