import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { asData, asKeys, operationRoute } from '../core/context.ts'
import { body, listField, secondsField, textField } from '../core/fields.ts'
import { enveloped, Login, listsKeys, orNothing } from '../core/reply-shapes.ts'
import {
  tokenSettingsFields,
  tokenSettingsNamed,
  tokenSettingsOf,
  tokenSettingsShape,
} from '../tokens/settings-wire.ts'
import { asLogin } from '../tokens/wire.ts'
import { changeUser, userpassOperations } from './operations.ts'

const UserBody = body({
  password: textField,
  ...tokenSettingsFields,
  ttl: secondsField,
  max_ttl: secondsField,
  policies: listField,
  bound_cidrs: listField,
})
const PasswordBody = body({ password: textField })
const PoliciesBody = body({ policies: listField, token_policies: listField })

const missingPassword = () => refuse('userpass_password_missing', 'missing password')

/** The routes of a userpass method, relative to its mount. */
export const userpassRoutes = [
  operationRoute({
    id: 'userpass.users',
    method: 'LIST',
    path: '/users',
    summary: 'List the users',
    access: 'list',
    ...listsKeys,
    run: userpassOperations.listUsers,
    show: asKeys,
  }),
  operationRoute({
    id: 'userpass.read-user',
    method: 'GET',
    path: '/users/:username',
    summary: 'Read a user; the password is never shown',
    access: 'read',
    reply: enveloped(z.object(tokenSettingsShape)),
    ...orNothing,
    run: userpassOperations.readUser,
    with: ({ params }) => [params.username],
    show: asData(({ tokens }) => tokenSettingsNamed(tokens)),
  }),
  operationRoute({
    id: 'userpass.write-user',
    method: 'POST',
    path: '/users/:username',
    summary: 'Create or change a user; omitted fields keep their values',
    access: 'create or update',
    body: UserBody,
    refusals: ['token_settings_invalid'],
    run: userpassOperations.writeUser,
    with: ({ params, body }) => {
      const tokens = tokenSettingsOf(body, body)
      return tokens.ok ? [params.username, { password: body.password, tokens: tokens.value }] : tokens
    },
  }),
  operationRoute({
    id: 'userpass.delete-user',
    method: 'DELETE',
    path: '/users/:username',
    summary: 'Delete a user',
    access: 'delete',
    run: userpassOperations.deleteUser,
    with: ({ params }) => [params.username],
  }),
  operationRoute({
    id: 'userpass.write-password',
    method: 'POST',
    path: '/users/:username/password',
    summary: 'Change the password of a user',
    access: 'update',
    body: PasswordBody,
    refusals: ['userpass_password_missing'],
    run: changeUser,
    with: ({ params, body }) =>
      body.password ? [params.username, { password: body.password }] : missingPassword(),
  }),
  operationRoute({
    id: 'userpass.write-policies',
    method: 'POST',
    path: '/users/:username/policies',
    summary: 'Change the policies of a user',
    access: 'update',
    body: PoliciesBody,
    run: changeUser,
    with: ({ params, body }) => [
      params.username,
      { tokens: { policies: body.token_policies ?? body.policies ?? [] } },
    ],
  }),
  operationRoute({
    id: 'userpass.login',
    method: 'POST',
    path: '/login/:username',
    summary: 'Sign in with a password',
    description:
      'A wrong name, a wrong password and a locked name get the same answer. Failed logins lock a name temporarily: see `user_lockout_config` of the mount.',
    access: 'none',
    body: PasswordBody,
    refusals: ['userpass_password_missing'],
    reply: Login,
    run: userpassOperations.login,
    with: ({ params, body, exchange }) =>
      body.password
        ? [{ username: params.username, password: body.password, address: exchange.peer?.address }]
        : missingPassword(),
    show: asLogin,
  }),
]
