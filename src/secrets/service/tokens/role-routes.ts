import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { badCidr } from '../../tokens/bound-cidrs.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { RoleReply } from './replies.ts'
import { RoleBody, roleWire } from './wire.ts'

const at = route<SecretsContext>()

/** The routes of token roles, relative to the token store. */
export const tokenRoleRoutes = [
  at({
    id: 'token.roles',
    method: 'LIST',
    path: '/roles',
    summary: 'List the token roles',
    access: 'list',
    ...listsKeys,
    handle: async ({ context }) =>
      answerKeys(context, await context.services.tokens.listRoles(context.namespace)),
  }),
  at({
    id: 'token.read-role',
    method: 'GET',
    path: '/roles/:name',
    summary: 'Read a token role',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const role = await context.services.tokens.readRole(context.namespace, params.name)
      return role ? answerWith(context, { data: roleWire(role) }) : notFound
    },
  }),
  at({
    id: 'token.write-role',
    method: 'POST',
    path: '/roles/:name',
    summary: 'Write a token role',
    access: 'create or update',
    body: RoleBody,
    success: 204,
    refusals: ['token_role_invalid'],
    handle: async ({ context, params, body }) => {
      const cidrs = body.token_bound_cidrs ?? body.bound_cidrs
      const wrong = badCidr(cidrs ?? [])
      if (wrong !== undefined)
        return refuse('token_role_invalid', `invalid CIDR: ${JSON.stringify(wrong)} is not a network`)
      const result = await context.services.tokens.writeRole(context.namespace, {
        name: params.name,
        allowedPolicies: mutable(body.allowed_policies),
        disallowedPolicies: mutable(body.disallowed_policies),
        allowedPoliciesGlob: mutable(body.allowed_policies_glob),
        disallowedPoliciesGlob: mutable(body.disallowed_policies_glob),
        allowedEntityAliases: mutable(body.allowed_entity_aliases),
        orphan: body.orphan,
        renewable: body.renewable,
        pathSuffix: body.path_suffix,
        periodSeconds: body.token_period ?? body.period,
        explicitMaxTtlSeconds: body.token_explicit_max_ttl ?? body.explicit_max_ttl,
        boundCidrs: mutable(cidrs),
        noDefaultPolicy: body.token_no_default_policy,
        numUses: body.token_num_uses,
        tokenType: body.token_type,
      })
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'token.delete-role',
    method: 'DELETE',
    path: '/roles/:name',
    summary: 'Delete a token role',
    access: 'delete',
    success: 204,
    handle: async ({ context, params }) => {
      await context.services.tokens.deleteRole(context.namespace, params.name)
      return answerDone(context)
    },
  }),
]

const mutable = (list: readonly string[] | undefined): string[] | undefined => list && [...list]
