import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import type { Account } from '../accounts/model.ts'
import type { Role } from '../accounts/role.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import { accounts, grants } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import {
  type AccessRefusal,
  changing,
  type Lookup,
  locateOwnBox,
  locateOwner,
  lookupIn,
  notFound,
} from '../service/guard.ts'
import { membersOf, role, username } from './arguments.ts'
import type { MembersOf } from './inputs.ts'

/**
 * A user with a role on the boxes of an account, or on one box.
 */
export interface Member {
  /** The folded user name. */
  readonly username: string
  readonly role: Role
}

/** The account, and the box, whose members are meant. */
function locate(
  from: Lookup,
  { owner: username, box: name }: MembersOf,
  { caller }: Core,
): { readonly ok: true; readonly owner: Account; readonly box: Box | undefined } | Refused<AccessRefusal> {
  if (name !== undefined) return locateOwnBox(from, { username, name }, caller, 'admin')
  const located = locateOwner(from, username, caller, 'admin')
  return located.ok ? { ok: true, owner: located.owner, box: undefined } : located
}

/** The operations on the roles of users, for callers with the role `admin` on the account or the box. */
export const memberOperations = {
  /**
   * Lists the members of an account, or of one box, by name.
   *
   * @example await catalog.listMembers({ owner: 'acme' })
   */
  listMembers: operation({
    takes: [membersOf],
    refuses: ['not_found', 'delinquent', 'unauthenticated', 'forbidden'],
    run: async (core: Core, of: MembersOf): Promise<Answer<readonly Member[], AccessRefusal>> => {
      const now = await snapshot(core)
      const located = locate(lookupIn(now), of, core)
      if (!located.ok) return located
      const members = located.box
        ? grants.list(now, located.box.id).map(({ value: { member, role } }) => ({ username: member, role }))
        : membersIn(located.owner)
      return { ok: true, value: members }
    },
  }),
  /**
   * Gives a user a role on all boxes of an account, or on one box; returns it. A role on both counts as the higher one.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   * await catalog.putUser({ username: 'bob' })
   *
   * await catalog.createBox({ username: 'alice', name: 'base', private: true })
   * await catalog.putMember({ owner: 'alice', box: 'base' }, 'bob', 'reader')
   * const bob = catalog.as({ kind: 'user', username: 'bob' })
   * const seen = await bob.readBox({ username: 'alice', name: 'base' })
   * seen.ok // true
   * await catalog.close()
   * ```
   */
  putMember: operation({
    takes: [membersOf, username, role],
    refuses: [...changing, 'member_unknown'],
    run: (core: Core, of: MembersOf, username: string, role: Role) =>
      change<Member, AccessRefusal | 'member_unknown'>(core, (tx, env) => {
        const located = locate(tx, of, core)
        if (!located.ok) return located
        const member = foldName(username)
        if (tx.get(accounts, member)?.value.kind !== 'user')
          return refuse('member_unknown', `There is no user ${JSON.stringify(username.slice(0, 100))}`)
        if (located.box) tx.put(grants, { boxId: located.box.id, member, role })
        else {
          const { owner } = located
          const members = Object.assign({}, owner.members, { [member]: role })
          tx.put(accounts, Object.assign({}, owner, { members, updatedAt: env.now }))
        }
        const event = { type: 'member.set', username: located.owner.username, member, role } as const
        return { ok: true, value: { username: member, role }, events: [event], box: located.box }
      }),
  }),
  /**
   * Takes the role of a user away; returns it.
   *
   * @example await catalog.removeMember({ owner: 'acme' }, 'ada')
   */
  removeMember: operation({
    takes: [membersOf, username],
    refuses: changing,
    run: (core: Core, of: MembersOf, username: string) =>
      change<Member, AccessRefusal>(core, (tx, env) => {
        const located = locate(tx, of, core)
        if (!located.ok) return located
        const member = foldName(username)
        let role: Role | undefined
        if (located.box) {
          role = tx.get(grants, located.box.id, member)?.value.role
          tx.delete(grants, located.box.id, member)
        } else {
          const { owner } = located
          const { [member]: had, ...members } = owner.members
          role = had
          tx.put(accounts, Object.assign({}, owner, { members, updatedAt: env.now }))
        }
        if (role === undefined) return notFound
        const event = { type: 'member.removed', username: located.owner.username, member, role } as const
        return { ok: true, value: { username: member, role }, events: [event], box: located.box }
      }),
  }),
}

const membersIn = ({ members }: Account): readonly Member[] =>
  Object.entries(members)
    .map(([username, role]) => ({ username, role }))
    .sort((a, b) => (a.username < b.username ? -1 : 1))
