import * as z from 'zod'
import { aText, like, optional, type Takes } from '../../http/arguments.ts'
import { namespaceCapabilities } from '../acl/capabilities.ts'
import { AllocationRecord } from '../allocations/model.ts'
import { int64 } from '../int64.ts'
import { aYesOrNo, call } from './call-fields.ts'
import {
  writtenConfiguration,
  writtenJob,
  writtenNode,
  writtenPolicy,
  writtenPool,
  writtenToken,
} from './filled-in.ts'
import type { AllocationUpdate } from './outcomes/allocation-writes.ts'

const text = z.string()
const texts = z.array(text)

const update = z.object({
  ID: text,
  ClientStatus: AllocationRecord.shape.ClientStatus.optional(),
  ClientDescription: text.optional(),
  TaskStates: AllocationRecord.shape.TaskStates.optional(),
  Healthy: z.boolean().optional(),
} satisfies Record<keyof AllocationUpdate, z.ZodType>)

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
  dispatch: {
    id: aText,
    input: like(
      z
        .object({ payload: text, meta: z.record(text, text), idPrefix: text, idempotencyToken: text })
        .partial(),
    ),
    call,
  },
  revert: {
    id: aText,
    input: like(z.object({ version: z.int(), enforcePriorVersion: z.int().optional() })),
    call,
  },
  stable: { id: aText, input: like(z.object({ version: z.int(), stable: z.boolean() })), call },
  scale: {
    id: aText,
    input: like(
      z
        .object({ count: z.number(), message: text, error: z.boolean(), enforceIndex: z.number() })
        .partial()
        .extend({ group: text }),
    ),
    call,
  },
  pause: { id: aText, pause: aYesOrNo, call },
  promote: { id: aText, input: like(z.object({ groups: texts.optional() }).optional()), call },
  health: { id: aText, input: like(z.object({ healthy: texts, unhealthy: texts }).partial()), call },
  move: { id: aText, verb: aText, call },
  drain: {
    id: aText,
    input: like(
      z
        .object({ markEligible: z.boolean(), meta: z.record(text, text), accessorId: text })
        .partial()
        .extend({ spec: z.object({ deadline: int64, ignoreSystemJobs: z.boolean() }).nullable() }),
    ),
    call,
  },
  eligibility: { id: aText, eligibility: like(z.enum(['eligible', 'ineligible'])), call },
  updates: { updates: like(z.array(update)), call },
  configuration: { config: writtenConfiguration.check, call },
  policy: { policy: writtenPolicy.check, call },
  token: { accessor: optional(aText), write: writtenToken.check, call },
  nothing: {},
} satisfies Readonly<Record<string, Takes>>
