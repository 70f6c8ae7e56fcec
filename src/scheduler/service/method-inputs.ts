import * as z from 'zod'
import { aText, like, optional, type Takes } from '../../operation/arguments.ts'
import { fields, strict } from '../../operation/known-fields.ts'
import { namespaceCapabilities } from '../acl/capabilities.ts'
import { AllocationRecord } from '../allocations/model.ts'
import type { DispatchInput } from '../jobs/dispatch.ts'
import type { DrainInput } from '../nodes/drain.ts'
import { int64 } from '../values/int64.ts'
import { aYesOrNo, call } from './call-fields.ts'
import type { JobScaled } from './jobs/job-scaling.ts'
import type { AllocationUpdate } from './outcomes/allocation-writes.ts'
import {
  writtenConfiguration,
  writtenJob,
  writtenNode,
  writtenPolicy,
  writtenPool,
  writtenToken,
} from './parsed-arguments.ts'

const text = z.string()
const texts = z.array(text)

const update = z.object({
  ID: text,
  ClientStatus: AllocationRecord.shape.ClientStatus.optional(),
  ClientDescription: text.optional(),
  TaskStates: AllocationRecord.shape.TaskStates.optional(),
  Healthy: z.boolean().optional(),
} satisfies Record<keyof AllocationUpdate, z.ZodType>)

const dispatch = fields({
  payload: text.optional(),
  meta: z.record(text, text).optional(),
  idPrefix: text.optional(),
  idempotencyToken: text.optional(),
} satisfies Record<keyof DispatchInput, z.ZodType>)

const scaling = fields({
  group: text,
  count: z.number().optional(),
  message: text.optional(),
  error: z.boolean().optional(),
  meta: z.record(text, z.unknown()).optional(),
  enforceIndex: z.number().optional(),
} satisfies Record<keyof JobScaled, z.ZodType>)

const drain = fields({
  spec: strict({ deadline: int64, ignoreSystemJobs: z.boolean() }).nullable(),
  markEligible: z.boolean().optional(),
  meta: z.record(text, text).optional(),
  accessorId: text.optional(),
} satisfies Record<keyof DrainInput, z.ZodType>)

const asked = { call }
const named = { id: aText, call }

/**
 * What the methods of a scheduler take. Types say it to whoever compiles; this says it to everybody, before anything is
 * done.
 */
export const methodInputs = {
  list: asked,
  byId: named,
  byName: { name: aText, call },
  byPrefix: { prefix: aText, call },
  capability: { namespace: aText, capability: like(z.enum(namespaceCapabilities)), call },
  pool: { pool: writtenPool.check, call },
  node: { node: writtenNode.check, call },
  job: { job: writtenJob.check, call },
  dispatch: { id: aText, input: dispatch, call },
  revert: { id: aText, input: fields({ version: z.int(), enforcePriorVersion: z.int().optional() }), call },
  stable: { id: aText, input: fields({ version: z.int(), stable: z.boolean() }), call },
  scale: { id: aText, input: scaling, call },
  pause: { id: aText, pause: aYesOrNo, call },
  promote: { id: aText, input: optional(fields({ groups: texts.optional() })), call },
  health: { id: aText, input: fields({ healthy: texts.optional(), unhealthy: texts.optional() }), call },
  move: { id: aText, verb: aText, call },
  drain: { id: aText, input: drain, call },
  eligibility: { id: aText, eligibility: like(z.enum(['eligible', 'ineligible'])), call },
  updates: { updates: like(z.array(update)), call },
  configuration: { config: writtenConfiguration.check, call },
  policy: { policy: writtenPolicy.check, call },
  token: { accessor: optional(aText), write: writtenToken.check, call },
  nothing: {},
} satisfies Readonly<Record<string, Takes>>
