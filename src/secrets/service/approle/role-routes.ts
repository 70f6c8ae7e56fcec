import type * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import type { ApproleRole } from '../../approle/model.ts'
import { asData, asKeys, operationRoute } from '../core/context.ts'
import { enveloped, Kept, listsKeys, orNothing } from '../core/reply-shapes.ts'
import { tokenSettingsOf } from '../tokens/settings-wire.ts'
import { approleOperations, changeRole, type RoleInput } from './operations.ts'
import { RoleBody, RoleIdReply, RoleReply, roleWire } from './wire.ts'

/** The fields of a body as the input of a write. */
function inputOf(body: z.output<typeof RoleBody>): RoleInput | Refused<'token_settings_invalid'> {
  const tokens = tokenSettingsOf(body, { policies: body.policies, period: body.period })
  if (!tokens.ok) return tokens
  return {
    roleId: body.role_id,
    bindSecretId: body.bind_secret_id,
    secretIdBoundCidrs: body.secret_id_bound_cidrs ?? body.bound_cidr_list,
    secretIdNumUses: body.secret_id_num_uses,
    secretIdTtlSeconds: body.secret_id_ttl,
    localSecretIds: body.local_secret_ids ?? body.enable_local_secret_ids,
    tokens: tokens.value,
  }
}

/** The arguments of a write. */
function writing(
  name: string,
  body: z.output<typeof RoleBody>,
): [name: string, input: RoleInput] | Refused<'token_settings_invalid'> {
  const input = inputOf(body)
  return isRefused(input) ? input : [name, input]
}

/** The fields of a role that have their own path: the path, the field, and its default. */
const ownPaths = [
  ['bind-secret-id', 'bind_secret_id', true],
  ['secret-id-bound-cidrs', 'secret_id_bound_cidrs', []],
  ['secret-id-num-uses', 'secret_id_num_uses', 0],
  ['secret-id-ttl', 'secret_id_ttl', 0],
  ['token-bound-cidrs', 'token_bound_cidrs', []],
  ['token-ttl', 'token_ttl', 0],
  ['token-max-ttl', 'token_max_ttl', 0],
  ['period', 'token_period', 0],
  ['policies', 'token_policies', []],
] as const

const read = (role: ApproleRole, field: string): unknown =>
  Object.entries(roleWire(role)).find(([name]) => name === field)?.[1]

/** The routes about roles, relative to the mount. */
export const approleRoleRoutes = [
  operationRoute({
    id: 'approle.roles',
    method: 'LIST',
    path: '/role',
    summary: 'List the roles',
    access: 'list',
    ...listsKeys,
    run: approleOperations.listRoles,
    show: asKeys,
  }),
  operationRoute({
    id: 'approle.read-role',
    method: 'GET',
    path: '/role/:name',
    summary: 'Read a role',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    run: approleOperations.readRole,
    with: ({ params }) => [params.name],
    show: asData(roleWire),
  }),
  operationRoute({
    id: 'approle.write-role',
    method: 'POST',
    path: '/role/:name',
    summary: 'Create or change a role; omitted fields keep their values',
    access: 'create or update',
    body: RoleBody,
    refusals: ['token_settings_invalid'],
    run: approleOperations.writeRole,
    with: ({ params, body }) => writing(params.name, body),
  }),
  operationRoute({
    id: 'approle.delete-role',
    method: 'DELETE',
    path: '/role/:name',
    summary: 'Delete a role with its secret IDs',
    access: 'delete',
    run: approleOperations.deleteRole,
    with: ({ params }) => [params.name],
  }),
  operationRoute({
    id: 'approle.read-role-id',
    method: 'GET',
    path: '/role/:name/role-id',
    summary: 'Read the role ID of a role',
    access: 'read',
    reply: RoleIdReply,
    ...orNothing,
    run: approleOperations.readRole,
    with: ({ params }) => [params.name],
    show: asData(({ roleId }) => ({ role_id: roleId })),
  }),
  operationRoute({
    id: 'approle.write-role-id',
    method: 'POST',
    path: '/role/:name/role-id',
    summary: 'Change the role ID of a role',
    access: 'update',
    body: RoleBody,
    refusals: ['approle_role_invalid'],
    run: changeRole,
    with: ({ params, body }) =>
      body.role_id
        ? [params.name, { roleId: body.role_id }]
        : refuse('approle_role_invalid', 'missing role_id'),
  }),
  ...ownPaths.flatMap(([path, field, unset]) => [
    operationRoute({
      id: `approle.read-${path}`,
      method: 'GET',
      path: `/role/:name/${path}`,
      summary: `Read ${field} of a role`,
      access: 'read',
      reply: enveloped(Kept),
      ...orNothing,
      run: approleOperations.readRole,
      with: ({ params }) => [params['name'] ?? ''],
      show: asData((role) => ({ [field]: read(role, field) })),
    }),
    operationRoute({
      id: `approle.write-${path}`,
      method: 'POST',
      path: `/role/:name/${path}`,
      summary: `Change ${field} of a role`,
      access: 'update',
      body: RoleBody,
      refusals: ['approle_role_invalid', 'token_settings_invalid'],
      run: changeRole,
      with: ({ params, body }) => {
        const given =
          body[field] ??
          (field === 'token_policies' ? body.policies : undefined) ??
          (field === 'token_period' ? body.period : undefined)
        return given === undefined
          ? refuse('approle_role_invalid', `missing ${field}`)
          : writing(params['name'] ?? '', { ...noFields, [field]: given })
      },
    }),
    operationRoute({
      id: `approle.unset-${path}`,
      method: 'DELETE',
      path: `/role/:name/${path}`,
      summary: `Reset ${field} of a role`,
      access: 'delete',
      refusals: ['token_settings_invalid'],
      run: changeRole,
      with: ({ params }) => writing(params['name'] ?? '', { ...noFields, [field]: unset }),
    }),
  ]),
]

/** An empty body. */
const noFields: z.output<typeof RoleBody> = RoleBody.parse({})
