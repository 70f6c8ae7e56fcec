import { asData, asKeys, operationRoute } from '../core/context.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { RoleReply, roleView } from './replies.ts'
import { tokenRoleOperations } from './role-operations.ts'
import { RoleBody } from './wire.ts'

/** The routes of token roles, relative to the token store. */
export const tokenRoleRoutes = [
  operationRoute({
    id: 'token.roles',
    method: 'LIST',
    path: '/roles',
    summary: 'List the token roles',
    access: 'list',
    ...listsKeys,
    run: tokenRoleOperations.list,
    show: asKeys,
  }),
  operationRoute({
    id: 'token.read-role',
    method: 'GET',
    path: '/roles/:name',
    summary: 'Read a token role',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    run: tokenRoleOperations.read,
    with: ({ params }) => [params.name],
    show: asData(roleView.show),
  }),
  operationRoute({
    id: 'token.write-role',
    method: 'POST',
    path: '/roles/:name',
    summary: 'Write a token role',
    access: 'create or update',
    body: RoleBody,
    run: tokenRoleOperations.write,
    with: ({ params, body }) => [
      {
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
        boundCidrs: mutable(body.token_bound_cidrs ?? body.bound_cidrs),
        noDefaultPolicy: body.token_no_default_policy,
        numUses: body.token_num_uses,
        tokenType: body.token_type,
      },
    ],
  }),
  operationRoute({
    id: 'token.delete-role',
    method: 'DELETE',
    path: '/roles/:name',
    summary: 'Delete a token role',
    access: 'delete',
    run: tokenRoleOperations.delete,
    with: ({ params }) => [params.name],
  }),
]

const mutable = (list: readonly string[] | undefined): string[] | undefined => list && [...list]
