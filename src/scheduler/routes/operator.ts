import * as z from 'zod'
import { refuse } from '../../kernel/index.ts'
import { operations } from '../operations/operations.ts'
import { SchedulerConfiguration } from '../placement/configuration.ts'
import { ReadQuery, readCall, readRefusals } from '../wire/query.ts'
import { ConfigurationReply, foundHeaders, written, writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { askerOf, foundReply, operationRoute, type SchedulerRoute } from './context.ts'
import { jobWrittenReply } from './job-reply.ts'

const path = '/v1/operator/scheduler/configuration'

/** The placement configuration of the cluster. */
export const operatorRoutes: readonly SchedulerRoute[] = [
  operationRoute({
    id: 'operator.configuration',
    method: 'GET',
    path,
    summary: 'Read the scheduler configuration',
    access: 'operator:read',
    query: ReadQuery,
    reply: ConfigurationReply,
    emits: foundHeaders,
    refusals: readRefusals,
    run: operations.readSchedulerConfiguration,
    with: ({ context, query, exchange }) => {
      const call = readCall(query, askerOf(context, exchange))
      return call.ok ? [call.value] : call
    },
    answer: (found, call) => {
      if (!found.ok) return found
      const { index, lastContact, knownLeader } = found
      const more = { Index: index, LastContact: lastContact, KnownLeader: knownLeader, NextToken: '' }
      return foundReply({ ...found, value: { SchedulerConfig: found.value, ...more } }, call)
    },
  }),
  operationRoute({
    id: 'operator.write-configuration',
    method: ['PUT', 'POST'],
    path,
    summary: 'Replace the scheduler configuration',
    access: 'operator:write',
    query: z.object({
      cas: z.string().optional().describe('the write fails unless the configuration has this ModifyIndex'),
    }),
    accepts: SchedulerConfiguration,
    reply: written.Configuration,
    emits: writtenHeaders,
    refusals: [...bodies, 'invalid_cas', 'invalid_scheduler_configuration'],
    run: operations.writeSchedulerConfiguration,
    with: ({ context: { token }, query, body }) => {
      const { cas = '' } = query
      if (!/^\d{0,15}$/.test(cas))
        return refuse('invalid_cas', 'cas must be the ModifyIndex of the configuration')
      const read = readBody(
        SchedulerConfiguration,
        body,
        'a scheduler configuration',
        'invalid_scheduler_configuration',
      )
      return read.ok ? [read.value, { token, cas: cas === '' ? undefined : Number(cas) }] : read
    },
    answer: jobWrittenReply,
  }),
]
