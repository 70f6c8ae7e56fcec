import { type Answer, type Refused, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { prefixOf, type Snapshot, type Tx } from '../../store/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { Account } from '../accounts/model.ts'
import type { SaveOrganizationInput } from '../accounts/save-organization.ts'
import { type AccountView, viewOfAccount } from '../accounts/view.ts'
import { foldName } from '../boxes/names.ts'
import { accounts, boxes, downloads, grants, loadParts, quotas, tokens, versions } from '../records.ts'
import { type Core, change, snapshot } from '../service/core.ts'
import {
  type AccessRefusal,
  administratorProblem,
  type BoxAddress,
  changing,
  locateOwnBox,
  notFound,
  versionOf,
} from '../service/guard.ts'
import { accountOperations } from './accounts.ts'
import { accountKind, accountList, box, history, organization, user, username } from './arguments.ts'
import type { AccountList, BoxHistory, PutUserInput } from './inputs.ts'
import { deleteToken } from './tokens.ts'

/** A commit holds 64 keys. */
const versionsPerCommit = 40

const notAdministrator = ['unauthenticated', 'forbidden'] as const

/** The account operations of administrators and of the embedding program. */
export const administratorOperations = {
  /**
   * Creates a user.
   *
   * @example await catalog.createUser({ username: 'carol', password: 'correct horse' })
   */
  createUser: operation({
    takes: [user],
    refuses: [...notAdministrator, ...accountOperations.putUser.refuses],
    run: async (core: Core, input: PutUserInput) =>
      administratorProblem(core.caller, 'create users') ??
      accountOperations.putUser.run(core, { ...input, createOnly: true }),
  }),
  /**
   * Changes a user.
   *
   * @example await catalog.updateUser({ username: 'ada', email: 'ada@example.com' })
   */
  updateUser: operation({
    takes: [user],
    refuses: [...notAdministrator, 'not_found', ...accountOperations.putUser.refuses],
    run: async (core: Core, input: PutUserInput) => {
      const problem = administratorProblem(core.caller, 'change users')
      if (problem) return problem
      if (input.administrator === false && isSelf(core.caller, input.username))
        return refuse('forbidden', 'You may not end your own administration: another administrator can')
      return (
        (await missingProblem(core, input.username, 'user')) ?? accountOperations.putUser.run(core, input)
      )
    },
  }),
  /**
   * Sets the dates and the downloads that a box had in another catalog, from which it was copied. A number of downloads
   * only grows, and no date is later than now.
   *
   * @example await catalog.setHistory({ username: 'acme', name: 'tiny' }, { createdAt: 0, downloads: 4200, versions: [] })
   */
  setHistory: operation({
    takes: [box, history],
    refuses: changing,
    run: async (
      core: Core,
      address: BoxAddress,
      { createdAt, downloads: count, versions: past }: BoxHistory,
    ) => {
      for (let first = 0; ; first += versionsPerCommit) {
        const changed = await change<undefined, AccessRefusal>(core, (tx, env) => {
          const problem = administratorProblem(core.caller, 'set the history of boxes')
          if (problem) return problem
          const located = locateOwnBox(tx, address, core.caller, 'admin')
          if (!located.ok) return located
          const box = Object.assign({}, located.box, { createdAt: Math.min(createdAt, env.now) })
          tx.put(boxes, box)
          const counted = tx.get(downloads, box.id)?.value.count ?? 0
          if (count > counted) tx.put(downloads, { boxId: box.id, count })
          for (const { version: number, createdAt, updatedAt } of past.slice(
            first,
            first + versionsPerCommit,
          )) {
            const found = versionOf(tx, located, Object.assign({}, address, { version: number }))
            if (!found.ok) continue
            const dates = { createdAt: Math.min(createdAt, env.now), updatedAt: Math.min(updatedAt, env.now) }
            tx.put(versions, Object.assign({}, found.version, dates))
          }
          return { ok: true, value: undefined, events: [{ type: 'box.updated' }], box }
        })
        if (!changed.ok || first + versionsPerCommit >= past.length) return changed
      }
    },
  }),
  /**
   * Creates an organization; its members must be users.
   *
   * @example await catalog.createOrganization({ username: 'team', members: ['ada'] })
   */
  createOrganization: operation({
    takes: [organization],
    refuses: [...notAdministrator, 'member_unknown', ...accountOperations.putOrganization.refuses],
    run: async (core: Core, input: SaveOrganizationInput) =>
      administratorProblem(core.caller, 'create organizations') ??
      (await takenProblem(core, input.username)) ??
      (await membersProblem(core, input)) ??
      accountOperations.putOrganization.run(core, input),
  }),
  /**
   * Changes the members of an organization, who must be users.
   *
   * @example await catalog.updateOrganization({ username: 'acme', members: ['ada'] })
   */
  updateOrganization: operation({
    takes: [organization],
    refuses: [
      ...notAdministrator,
      'not_found',
      'member_unknown',
      ...accountOperations.putOrganization.refuses,
    ],
    run: async (core: Core, input: SaveOrganizationInput) =>
      administratorProblem(core.caller, 'change organizations') ??
      (await missingProblem(core, input.username, 'organization')) ??
      (await membersProblem(core, input)) ??
      accountOperations.putOrganization.run(core, input),
  }),
  /**
   * The accounts in the order of their names, all of them or a page, and their number.
   *
   * @example await catalog.listAccounts({ limit: 20 })
   */
  listAccounts: operation({
    takes: [accountList],
    refuses: notAdministrator,
    run: async (
      core: Core,
      { kind, offset = 0, limit = Number.POSITIVE_INFINITY }: AccountList = {},
    ): Promise<
      Answer<
        { readonly accounts: readonly AccountView[]; readonly total: number },
        (typeof notAdministrator)[number]
      >
    > => {
      const problem = administratorProblem(core.caller, 'list accounts')
      if (problem) return problem
      const all = accounts
        .list(await snapshot(core))
        .filter(({ value }) => kind === undefined || value.kind === kind)
      const shown = all.slice(offset, offset + limit).map(({ value }) => viewOfAccount(value))
      return { ok: true, value: { accounts: shown, total: all.length } }
    },
  }),
  /**
   * Deletes an account that owns no boxes, with its tokens; it leaves its organizations. It may be called again after
   * an interruption: the account goes last.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'bob' })
   *
   * const gone = await catalog.deleteAccount('bob', 'user')
   * gone.ok && gone.value.username // 'bob'
   * const left = await catalog.readAccount('bob')
   * left.ok // false
   * await catalog.close()
   * ```
   */
  deleteAccount: operation({
    takes: [username, accountKind],
    refuses: [...notAdministrator, 'not_found', 'account_owns_boxes', 'contended'],
    run: async (
      core: Core,
      username: string,
      kind: Account['kind'],
    ): Promise<
      Answer<
        AccountView,
        (typeof notAdministrator)[number] | 'not_found' | 'account_owns_boxes' | 'contended'
      >
    > => {
      const problem = administratorProblem(core.caller, 'delete accounts')
      if (problem) return problem
      if (isSelf(core.caller, username))
        return refuse('forbidden', 'You may not delete your own account: another administrator can')
      const name = foldName(username)
      for (;;) {
        const now = await snapshot(core)
        const account = accounts.get(now, name)?.value
        if (account?.kind !== kind) return notFound
        const owned = ownedProblem(now, account)
        if (owned) return owned
        const left = await leaveEverything(core, now, name)
        if (!left.ok) return left
        const deleted = await change(core, (tx) => deletion(tx, account))
        if (!deleted.ok) return deleted
        // A token created meanwhile is deleted first.
        if (deleted.value) return { ok: true, value: deleted.value }
      }
    },
  }),
}

/** The deletion of an account; `undefined` while it has tokens. */
function deletion(tx: Tx, { username }: Account) {
  const name = foldName(username)
  const account = tx.get(accounts, name)?.value
  if (!account) return notFound
  // No box of its own is created, and no load begins, concurrently.
  tx.guard('growth', name)
  tx.guard(loadParts.name)
  const owned = ownedProblem(tx.now, account)
  if (owned) return owned
  if (tx.list(tokens, [name]).some(({ value }) => foldName(value.username) === name))
    return { ok: true as const, value: undefined, events: [] }
  tx.delete(accounts, name)
  tx.delete(quotas, name)
  return {
    ok: true as const,
    value: viewOfAccount(account),
    events: [{ type: 'account.deleted' as const, username }],
  }
}

/**
 * Deletes the tokens of an account, and ends its memberships, each in a commit of its own: a commit has room for few.
 */
async function leaveEverything(
  core: Core,
  now: Snapshot,
  name: string,
): Promise<Answer<undefined, 'contended'>> {
  for (const { value } of tokens.list(now)) {
    if (foldName(value.username) !== name) continue
    const { hash, username } = value
    const deleted = await change(core, (tx) => {
      const events = deleteToken(tx, hash) ? [{ type: 'token.deleted' as const, username }] : []
      return { ok: true, value: undefined, events }
    })
    if (!deleted.ok) return deleted
  }
  for (const { value } of grants.list(now)) {
    if (value.member !== name) continue
    const left = await change(core, (tx) => {
      tx.delete(grants, value.boxId, name)
      return { ok: true, value: undefined, events: [] }
    })
    if (!left.ok) return left
  }
  for (const { value } of accounts.list(now)) {
    if (!Object.hasOwn(value.members, name)) continue
    const { username } = value
    const left = await change(core, (tx, env) => {
      const account = tx.get(accounts, foldName(username))?.value
      if (!account) return { ok: true, value: undefined, events: [] }
      const { [name]: _left, ...members } = account.members
      tx.put(accounts, Object.assign({}, account, { members, updatedAt: env.now }))
      return { ok: true, value: undefined, events: [{ type: 'account.updated', username }] }
    })
    if (!left.ok) return left
  }
  return { ok: true, value: undefined }
}

/** Returns why an account cannot be deleted: it owns boxes, or a load in progress may create some. */
function ownedProblem(
  now: Snapshot,
  { username }: Account,
): Refused<'account_owns_boxes' | 'contended'> | undefined {
  const own = now.scan({ prefix: prefixOf(boxes.name, foldName(username)), limit: 1 })
  if (own.length > 0) return refuse('account_owns_boxes', `${username} owns boxes: delete them first`)
  if (now.scan({ prefix: loadParts.prefix, limit: 1 }).length === 0) return undefined
  return refuse('contended', 'Boxes are being loaded: try again when that has ended')
}

const isSelf = (caller: Caller, username: string): boolean =>
  caller.kind === 'user' && foldName(caller.username) === foldName(username)

/** An organization without members is free: an owner of boxes that is yet to become somebody's. */
async function takenProblem(core: Core, username: string): Promise<Refused<'account_taken'> | undefined> {
  const taken = accounts.get(await snapshot(core), foldName(username))?.value
  if (taken?.kind === 'organization' && Object.keys(taken.members).length === 0) return undefined
  return taken && refuse('account_taken', 'Username has already been taken')
}

async function missingProblem(
  core: Core,
  username: string,
  kind: Account['kind'],
): Promise<typeof notFound | undefined> {
  const account = accounts.get(await snapshot(core), foldName(username))?.value
  return account?.kind === kind ? undefined : notFound
}

async function membersProblem(
  core: Core,
  { members = [] }: SaveOrganizationInput,
): Promise<Refused<'member_unknown'> | undefined> {
  const now = await snapshot(core)
  const unknown = members.find((member) => accounts.get(now, foldName(member))?.value.kind !== 'user')
  return unknown === undefined
    ? undefined
    : refuse('member_unknown', `There is no user ${JSON.stringify(unknown.slice(0, 100))}: create it first`)
}
