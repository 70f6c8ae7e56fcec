import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { AclPolicy, AclPolicyStub, AclToken, AclTokenStub, AclTokenWrite } from '../acl/model.ts'
import { operations } from '../operations/operations.ts'
import type { Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { bodies, readBody } from './body.ts'
import { type RouteContext, route, type SchedulerRoute, writtenReply } from './context.ts'
import { deleteOf } from './delete-of.ts'
import { listOf, readOf } from './reads.ts'

/** A policy as a caller writes it; its fields are checked with its rules. */
const PolicyBody = z.object({
  Name: z.string().default(''),
  Description: z.string().default(''),
  Rules: z.string().default(''),
})

/** What the first token may be given. */
const BootstrapBody = z.object({
  BootstrapSecret: z.string().default('').describe('the secret of the token, a UUID; drawn when left out'),
})

/** A write that answers with what was written. */
const writtenBody = <Code extends SchedulerRefusal>(
  { words }: RouteContext,
  written: Written<unknown> | Refused<Code>,
) => (written.ok ? reply(written.value, { headers: words.emit({ Index: String(written.index) }) }) : written)

const tokenRoute = (path: '/v1/acl/token' | '/v1/acl/token/:accessor_id', id: string, summary: string) =>
  route({
    id,
    method: ['POST', 'PUT'],
    path,
    summary,
    access: 'management',
    accepts: AclTokenWrite,
    emits: writtenHeaders,
    reply: AclToken,
    runs: [operations.writeToken],
    refusals: [...bodies, 'token_accessor_mismatch'],
    handle: async ({ context, params, body }) => {
      const { scheduler, token } = context
      const accessor = 'accessor_id' in params ? params.accessor_id : undefined
      const write = readBody(AclTokenWrite, body, 'an ACL token', 'invalid_acl_token')
      if (!write.ok) return write
      if (accessor !== undefined && write.value.AccessorID !== '' && write.value.AccessorID !== accessor)
        return refuse('token_accessor_mismatch', 'ACL token accessor ID does not match request path')
      return writtenBody(context, await scheduler.writeToken(accessor, write.value, { token }))
    },
  })

/** Policies and tokens, and the first token of all. */
export const aclRoutes: readonly SchedulerRoute[] = [
  route({
    id: 'acl.bootstrap',
    method: ['POST', 'PUT'],
    path: '/v1/acl/bootstrap',
    summary: 'Make the first management token; once',
    accepts: BootstrapBody.optional(),
    emits: writtenHeaders,
    reply: AclToken,
    runs: [operations.bootstrapAcl],
    refusals: bodies,
    handle: async ({ context, body }) => {
      const read = readBody(BootstrapBody, body ?? {}, 'a bootstrap', 'invalid_acl_token')
      if (!read.ok) return read
      const { BootstrapSecret: secret } = read.value
      return writtenBody(
        context,
        await context.scheduler.bootstrapAcl({ secret: secret === '' ? undefined : secret }),
      )
    },
  }),
  listOf({
    id: 'acl.policies',
    path: '/v1/acl/policies',
    summary: 'List policies: all to management, their own to clients',
    access: 'management, or a policy of one’s own',
    runs: operations.listPolicies,
    reply: AclPolicyStub,
    prefix: true,
    list: (scheduler, _, call) => scheduler.listPolicies(call),
  }),
  readOf({
    id: 'acl.policy.read',
    path: '/v1/acl/policy/:policy_name',
    summary: 'Read a policy',
    access: 'management, or a token with the policy',
    runs: operations.readPolicy,
    reply: AclPolicy,
    read: (scheduler, { policy_name }, call) => scheduler.readPolicy(policy_name, call),
  }),
  route({
    id: 'acl.policy.write',
    method: ['POST', 'PUT'],
    path: '/v1/acl/policy/:policy_name',
    summary: 'Create or replace a policy',
    access: 'management',
    accepts: PolicyBody,
    emits: writtenHeaders,
    runs: [operations.upsertPolicy],
    refusals: [...bodies, 'policy_name_mismatch'],
    handle: async ({ context, params, body }) => {
      const policy = readBody(PolicyBody, body, 'an ACL policy', 'invalid_acl_policy')
      if (!policy.ok) return policy
      if (policy.value.Name !== params.policy_name)
        return refuse('policy_name_mismatch', 'ACL policy name does not match request path')
      const { scheduler, token } = context
      return writtenReply(context, await scheduler.upsertPolicy(policy.value, { token }))
    },
  }),
  deleteOf({
    id: 'acl.policy.delete',
    path: '/v1/acl/policy/:policy_name',
    summary: 'Delete a policy',
    runs: operations.deletePolicy,
    delete: (scheduler, { policy_name }, call) => scheduler.deletePolicy(policy_name, call),
  }),
  listOf({
    id: 'acl.tokens',
    path: '/v1/acl/tokens',
    summary: 'List tokens, without their secrets',
    access: 'management',
    runs: operations.listTokens,
    reply: AclTokenStub,
    prefix: true,
    list: (scheduler, _, call) => scheduler.listTokens(call),
  }),
  tokenRoute('/v1/acl/token', 'acl.token.create', 'Create a token'),
  readOf({
    id: 'acl.token.read',
    path: '/v1/acl/token/:accessor_id',
    summary: 'Read a token; `self` is the caller’s own',
    access: 'management, or the token itself',
    runs: operations.readToken,
    reply: AclToken,
    read: (scheduler, { accessor_id }, call) => scheduler.readToken(accessor_id, call),
  }),
  tokenRoute('/v1/acl/token/:accessor_id', 'acl.token.update', 'Change a token'),
  deleteOf({
    id: 'acl.token.delete',
    path: '/v1/acl/token/:accessor_id',
    summary: 'Revoke a token',
    runs: operations.deleteToken,
    delete: (scheduler, { accessor_id }, call) => scheduler.deleteToken(accessor_id, call),
  }),
]
