import * as z from 'zod'
import { argument, aText, like } from '../../operation/arguments.ts'
import { type NamespaceCapability, namespaceCapabilities } from '../acl/capabilities.ts'
import { AclPolicy, AclPolicyRecord, AclRole, AclRoleWrite, AclToken, AclTokenWrite } from '../acl/model.ts'
import { Job, JobSpec } from '../jobs/model.ts'
import { Node, NodeRecord } from '../nodes/model.ts'
import { SchedulerConfiguration } from '../placement/configuration.ts'
import { NodePool, PoolSpec } from '../pools/model.ts'
import { writtenArgument } from './written-argument.ts'

export { call } from './call-argument.ts'

export const id = argument<string>('id', aText)
export const name = argument<string>('name', aText)
export const prefix = argument<string>('prefix', aText)
export const namespace = argument<string>('namespace', aText)
export const capability = argument<NamespaceCapability>('capability', like(z.enum(namespaceCapabilities)))

/** Of what was read. */
const indexes = { CreateIndex: z.int(), ModifyIndex: z.int() }

export const job = writtenArgument('job', JobSpec, Job)
export const node = writtenArgument('node', NodeRecord, Node)
export const pool = writtenArgument('pool', PoolSpec, NodePool)
export const config = writtenArgument(
  'config',
  SchedulerConfiguration,
  SchedulerConfiguration.extend(indexes),
)
export const tokenWrite = writtenArgument('write', AclTokenWrite, AclToken.extend(AclTokenWrite.shape))
export const roleWrite = writtenArgument('write', AclRoleWrite, AclRole)
/** An invalid name or description is a refusal, like invalid rules. */
export const policy = writtenArgument(
  'policy',
  AclPolicyRecord.extend({ Name: z.string(), Description: z.string().default('') }),
  AclPolicy,
)
