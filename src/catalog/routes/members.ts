import * as z from 'zod'
import { type Call, noContent, reply } from '../../http/index.ts'
import { Role } from '../accounts/role.ts'
import type { MembersOf } from '../operations/inputs.ts'
import { memberOperations } from '../operations/members.ts'
import { answered, type CatalogContext, define, writing } from './context.ts'

const MemberReply = z.strictObject({ username: z.string(), role: Role }).meta({ id: 'Member' })
const RoleBody = z.strictObject({ role: Role })

/** The roles of users on the boxes of an owner, or on one box: below the same paths. */
const routesOf = <const Path extends '/plinth/v1/owners/:owner' | '/plinth/v1/owners/:owner/boxes/:box'>(
  path: Path,
  id: 'owner' | 'box',
  what: string,
) => {
  const of = ({
    params,
  }: Pick<Call<CatalogContext, Readonly<Record<string, string>>, unknown>, 'params'>): MembersOf => ({
    owner: params['owner'] ?? '',
    box: params['box'],
  })
  return [
    define({
      id: `plinth.${id}.members`,
      method: 'GET',
      path: `${path}/members`,
      summary: `List the users with a role on ${what}, as an admin of it`,
      ...writing,
      runs: [memberOperations.listMembers],
      reply: z.object({ members: z.array(MemberReply) }),
      handle: async (call) =>
        answered(await call.context.catalog.listMembers(of(call)), (members) => ({ members })),
    }),
    define({
      id: `plinth.${id}.members.put`,
      method: 'PUT',
      path: `${path}/members/:username`,
      summary: `Give a user a role on ${what}, as an admin of it`,
      ...writing,
      runs: [memberOperations.putMember],
      reply: MemberReply,
      body: RoleBody,
      handle: async (call) => {
        const username: Readonly<Record<string, string>> = call.params
        const put = await call.context.catalog.putMember(of(call), username['username'] ?? '', call.body.role)
        return put.ok ? reply(put.value) : put
      },
    }),
    define({
      id: `plinth.${id}.members.remove`,
      method: 'DELETE',
      path: `${path}/members/:username`,
      summary: `Take a role on ${what} away from a user, as an admin of it`,
      ...writing,
      runs: [memberOperations.removeMember],
      success: 204,
      handle: async (call) => {
        const username: Readonly<Record<string, string>> = call.params
        const removed = await call.context.catalog.removeMember(of(call), username['username'] ?? '')
        return removed.ok ? noContent() : removed
      },
    }),
  ]
}

export const memberRoutes = [
  ...routesOf('/plinth/v1/owners/:owner', 'owner', 'all boxes of an owner'),
  ...routesOf('/plinth/v1/owners/:owner/boxes/:box', 'box', 'one box'),
]
