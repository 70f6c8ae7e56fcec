import { route } from '../../../http/index.ts'
import { asFolder, listKeys } from '../../kv1/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { idpOperations } from './operations.ts'
import { GroupReply, UserReply } from './replies.ts'
import { GroupBody, UserBody } from './wire.ts'

const at = route<SecretsContext>()

/** The routes of users and groups, relative to the mount: the policies of their logins. */
export const memberRoutes = [
  ...(['/users', '/users/*folder'] as const).map((path) =>
    at({
      id: path === '/users' ? 'idp.users' : 'idp.users-folder',
      method: 'LIST',
      path,
      summary: 'List the users with settings',
      access: 'list',
      ...listsKeys,
      handle: async ({ context, params }) => {
        const names = await context.services.idp.listUsers(context)
        const folder = 'folder' in params ? (params['folder'] ?? '') : ''
        return answerKeys(context, listKeys(names, asFolder(folder)))
      },
    }),
  ),
  at({
    id: 'idp.read-user',
    method: 'GET',
    path: '/users/*username',
    summary: 'Read the groups and policies of a user',
    access: 'read',
    reply: UserReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const user = await context.services.idp.readUser(context, params.username)
      if (!user) return notFound
      const { groups, policies } = user
      return answerWith(context, { data: { groups, policies } })
    },
  }),
  at({
    id: 'idp.write-user',
    method: 'POST',
    path: '/users/*username',
    summary: 'Write the groups and policies of a user; an omitted list becomes empty',
    access: 'update',
    body: UserBody,
    success: 204,
    runs: [idpOperations.writeUser],
    handle: async ({ context, params, body }) => {
      const result = await idpOperations.writeUser.run(context, params.username, body)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'idp.delete-user',
    method: 'DELETE',
    path: '/users/*username',
    summary: 'Delete the settings of a user',
    access: 'delete',
    success: 204,
    refusals: ['mount_gone'],
    handle: async ({ context, params }) => {
      const result = await context.services.idp.deleteUser(context, params.username)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'idp.groups',
    method: 'LIST',
    path: '/groups',
    summary: 'List the groups with policies',
    access: 'list',
    ...listsKeys,
    handle: async ({ context }) => answerKeys(context, await context.services.idp.listGroups(context)),
  }),
  at({
    id: 'idp.read-group',
    method: 'GET',
    path: '/groups/*name',
    summary: 'Read the policies of a group',
    access: 'read',
    reply: GroupReply,
    ...orNothing,
    handle: async ({ context, params }) => {
      const group = await context.services.idp.readGroup(context, params.name)
      return group ? answerWith(context, { data: { policies: group.policies } }) : notFound
    },
  }),
  at({
    id: 'idp.write-group',
    method: 'POST',
    path: '/groups/*name',
    summary: 'Write the policies of a group; its name is case-insensitive',
    access: 'update',
    body: GroupBody,
    success: 204,
    runs: [idpOperations.writeGroup],
    handle: async ({ context, params, body }) => {
      const result = await idpOperations.writeGroup.run(context, params.name, body.policies ?? [])
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'idp.delete-group',
    method: 'DELETE',
    path: '/groups/*name',
    summary: 'Delete the policies of a group',
    access: 'delete',
    success: 204,
    refusals: ['mount_gone'],
    handle: async ({ context, params }) => {
      const result = await context.services.idp.deleteGroup(context, params.name)
      return result.ok ? answerDone(context) : result
    },
  }),
]
