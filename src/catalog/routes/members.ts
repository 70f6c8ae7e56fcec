import * as z from 'zod'
import { reply } from '../../http/index.ts'
import { Role } from '../accounts/role.ts'
import type { MembersOf } from '../operations/inputs.ts'
import { memberOperations } from '../operations/members.ts'
import { operationRoute, writing } from './context.ts'

const MemberReply = z.strictObject({ username: z.string(), role: Role }).meta({ id: 'Member' })
const RoleBody = z.strictObject({ role: Role })

/** The roles of users on the boxes of an owner, or on one box: below the same paths. */
const routesOf = <const Path extends '/plinth/v1/owners/:owner' | '/plinth/v1/owners/:owner/boxes/:box'>(
  path: Path,
  id: 'owner' | 'box',
  what: string,
) => {
  const of = (params: Readonly<Record<string, string>>): MembersOf => ({
    owner: params['owner'] ?? '',
    box: params['box'],
  })
  const userOf = (params: Readonly<Record<string, string>>) => params['username'] ?? ''
  return [
    operationRoute({
      id: `plinth.${id}.members`,
      method: 'GET',
      path: `${path}/members`,
      summary: `List the users with a role on ${what}, as an admin of it`,
      ...writing,
      reply: z.object({ members: z.array(MemberReply) }),
      run: memberOperations.listMembers,
      with: ({ params }) => [of(params)],
      show: (members) => reply({ members }),
    }),
    operationRoute({
      id: `plinth.${id}.members.put`,
      method: 'PUT',
      path: `${path}/members/:username`,
      summary: `Give a user a role on ${what}, as an admin of it`,
      ...writing,
      reply: MemberReply,
      body: RoleBody,
      run: memberOperations.putMember,
      with: ({ params, body }) => [of(params), userOf(params), body.role],
      show: (member) => reply(member),
    }),
    operationRoute({
      id: `plinth.${id}.members.remove`,
      method: 'DELETE',
      path: `${path}/members/:username`,
      summary: `Take a role on ${what} away from a user, as an admin of it`,
      ...writing,
      run: memberOperations.removeMember,
      with: ({ params }) => [of(params), userOf(params)],
    }),
  ]
}

export const memberRoutes = [
  ...routesOf('/plinth/v1/owners/:owner', 'owner', 'all boxes of an owner'),
  ...routesOf('/plinth/v1/owners/:owner/boxes/:box', 'box', 'one box'),
]
