import * as z from 'zod'
import { type Reply, route } from '../../../http/index.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { answerDone, answerKeys, answerWith, notFound, type SecretsContext } from '../core/context.ts'
import { body, listField, secondsField, textField } from '../core/fields.ts'
import { enveloped, Login, listsKeys, orNothing } from '../core/reply-shapes.ts'
import {
  tokenSettingsFields,
  tokenSettingsNamed,
  tokenSettingsOf,
  tokenSettingsShape,
} from '../tokens/settings-wire.ts'
import { authWire } from '../tokens/wire.ts'
import { userpassOperations } from './operations.ts'

const at = route<SecretsContext>()

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

const writes = userpassOperations.writeUser
type WriteRefusal = (typeof writes.refuses)[number]
type LoginRefusal = (typeof userpassOperations.login.refuses)[number]

const missingPassword = () => refuse('userpass_password_missing', 'missing password')

/** The routes of a userpass method, relative to its mount. */
export const userpassRoutes = [
  at({
    id: 'userpass.users',
    method: 'LIST',
    path: '/users',
    summary: 'List the users',
    access: 'list',
    ...listsKeys,
    handle: async ({ context }) => answerKeys(context, await context.services.userpass.list(context)),
  }),
  at({
    id: 'userpass.read-user',
    method: 'GET',
    path: '/users/:username',
    summary: 'Read a user; the password is never shown',
    access: 'read',
    reply: enveloped(z.object(tokenSettingsShape)),
    ...orNothing,
    handle: async ({ context, params }) => {
      const user = await context.services.userpass.read(context, params.username)
      return user ? answerWith(context, { data: tokenSettingsNamed(user.tokens) }) : notFound
    },
  }),
  at({
    id: 'userpass.write-user',
    method: 'POST',
    path: '/users/:username',
    summary: 'Create or change a user; omitted fields keep their values',
    access: 'create or update',
    body: UserBody,
    success: 204,
    runs: [writes],
    handle: async ({ context, params, body }): Promise<Reply | Refused<WriteRefusal>> => {
      const tokens = tokenSettingsOf(body, body)
      if (!tokens.ok) return tokens
      const { username } = params
      const result = await context.services.userpass.write(context, {
        username,
        password: body.password,
        tokens: tokens.value,
      })
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'userpass.delete-user',
    method: 'DELETE',
    path: '/users/:username',
    summary: 'Delete a user',
    access: 'delete',
    success: 204,
    runs: [userpassOperations.deleteUser],
    handle: async ({ context, params }) => {
      const result = await context.services.userpass.delete(context, params.username)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'userpass.write-password',
    method: 'POST',
    path: '/users/:username/password',
    summary: 'Change the password of a user',
    access: 'update',
    body: PasswordBody,
    success: 204,
    runs: [writes],
    handle: async ({ context, params, body }): Promise<Reply | Refused<WriteRefusal>> => {
      if (!body.password) return missingPassword()
      const input = { username: params.username, password: body.password, existing: true }
      const result = await context.services.userpass.write(context, input)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'userpass.write-policies',
    method: 'POST',
    path: '/users/:username/policies',
    summary: 'Change the policies of a user',
    access: 'update',
    body: PoliciesBody,
    success: 204,
    runs: [writes],
    handle: async ({ context, params, body }): Promise<Reply | Refused<WriteRefusal>> => {
      const tokens = { policies: body.token_policies ?? body.policies ?? [] }
      const input = { username: params.username, tokens, existing: true }
      const result = await context.services.userpass.write(context, input)
      return result.ok ? answerDone(context) : result
    },
  }),
  at({
    id: 'userpass.login',
    method: 'POST',
    path: '/login/:username',
    summary: 'Log in with a password',
    description:
      'A wrong name, a wrong password and a locked name get the same answer. Failed logins lock a name temporarily: see `user_lockout_config` of the mount.',
    access: 'none',
    body: PasswordBody,
    runs: [userpassOperations.login],
    refusals: ['userpass_password_missing'],
    reply: Login,
    handle: async ({
      context,
      params,
      body,
      exchange,
    }): Promise<Reply | Refused<LoginRefusal | 'userpass_password_missing'>> => {
      if (!body.password) return missingPassword()
      const result = await context.services.userpass.login(context, {
        username: params.username,
        password: body.password,
        address: exchange.peer?.address,
        path: context.path,
      })
      if (!result.ok) return result
      const { token, text, warnings } = result.value
      return answerWith(context, { auth: authWire(token, text), warnings })
    },
  }),
]
