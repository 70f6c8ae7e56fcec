import * as z from 'zod'
import { argument, aText, like } from '../../operation/arguments.ts'
import { type NamespaceCapability, namespaceCapabilities } from '../acl/capabilities.ts'
import { AclPolicyRecord, AclTokenWrite } from '../acl/model.ts'
import { JobSpec } from '../jobs/model.ts'
import { NodeRecord } from '../nodes/model.ts'
import { SchedulerConfiguration } from '../placement/configuration.ts'
import { PoolSpec } from '../pools/model.ts'
import { writtenArgument } from './written-argument.ts'

export { call } from './call-argument.ts'

export const id = argument<string>('id', aText)
export const name = argument<string>('name', aText)
export const prefix = argument<string>('prefix', aText)
export const namespace = argument<string>('namespace', aText)
export const capability = argument<NamespaceCapability>('capability', like(z.enum(namespaceCapabilities)))

export const job = writtenArgument('job', JobSpec)
export const node = writtenArgument('node', NodeRecord)
export const pool = writtenArgument('pool', PoolSpec)
export const config = writtenArgument('config', SchedulerConfiguration)
export const tokenWrite = writtenArgument('write', AclTokenWrite)
/** What is wrong with a name or a description is a refusal, as with rules. */
export const policy = writtenArgument(
  'policy',
  AclPolicyRecord.extend({ Name: z.string(), Description: z.string().default('') }),
)
