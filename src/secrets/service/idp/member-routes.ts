import { asFolder, listKeys } from '../../kv1/index.ts'
import { answerKeys, asData, asKeys, operationRoute } from '../core/context.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { idpOperations, idpRouteOperations } from './operations.ts'
import { GroupReply, UserReply } from './replies.ts'
import { GroupBody, UserBody } from './wire.ts'

/** The routes of users and groups, relative to the mount: the policies of their logins. */
export const memberRoutes = [
  ...(['/users', '/users/*folder'] as const).map((path) =>
    operationRoute({
      id: path === '/users' ? 'idp.users' : 'idp.users-folder',
      method: 'LIST',
      path,
      summary: 'List the users with settings',
      access: 'list',
      ...listsKeys,
      run: idpRouteOperations.listUsers,
      show: (names, { context, params }) =>
        answerKeys(context, listKeys(names, asFolder('folder' in params ? (params['folder'] ?? '') : ''))),
    }),
  ),
  operationRoute({
    id: 'idp.read-user',
    method: 'GET',
    path: '/users/*username',
    summary: 'Read the groups and policies of a user',
    access: 'read',
    reply: UserReply,
    ...orNothing,
    run: idpOperations.readUser,
    with: ({ params }) => [params.username],
    show: asData(({ groups, policies }) => ({ groups, policies })),
  }),
  operationRoute({
    id: 'idp.write-user',
    method: 'POST',
    path: '/users/*username',
    summary: 'Write the groups and policies of a user; an omitted list becomes empty',
    access: 'update',
    body: UserBody,
    run: idpOperations.writeUser,
    with: ({ params, body }) => [params.username, body],
  }),
  operationRoute({
    id: 'idp.delete-user',
    method: 'DELETE',
    path: '/users/*username',
    summary: 'Delete the settings of a user',
    access: 'delete',
    run: idpRouteOperations.deleteUser,
    with: ({ params }) => [params.username],
  }),
  operationRoute({
    id: 'idp.groups',
    method: 'LIST',
    path: '/groups',
    summary: 'List the groups with policies',
    access: 'list',
    ...listsKeys,
    run: idpRouteOperations.listGroups,
    show: asKeys,
  }),
  operationRoute({
    id: 'idp.read-group',
    method: 'GET',
    path: '/groups/*name',
    summary: 'Read the policies of a group',
    access: 'read',
    reply: GroupReply,
    ...orNothing,
    run: idpOperations.readGroup,
    with: ({ params }) => [params.name],
    show: asData(({ policies }) => ({ policies })),
  }),
  operationRoute({
    id: 'idp.write-group',
    method: 'POST',
    path: '/groups/*name',
    summary: 'Write the policies of a group; its name is case-insensitive',
    access: 'update',
    body: GroupBody,
    run: idpOperations.writeGroup,
    with: ({ params, body }) => [params.name, body.policies ?? []],
  }),
  operationRoute({
    id: 'idp.delete-group',
    method: 'DELETE',
    path: '/groups/*name',
    summary: 'Delete the policies of a group',
    access: 'delete',
    run: idpRouteOperations.deleteGroup,
    with: ({ params }) => [params.name],
  }),
]
