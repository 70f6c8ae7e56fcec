import { type Answer, refuse } from '../../kernel/index.ts'
import { operation } from '../../operation/operation.ts'
import { isAtLeast, roleOf } from '../accounts/access.ts'
import { viewOfAccount } from '../accounts/view.ts'
import { boxTaken, type CreateBoxInput, createBox, tagKey } from '../boxes/create.ts'
import { foldName } from '../boxes/names.ts'
import { type UpdateBoxInput, updateBox } from '../boxes/update.ts'
import { accounts, boxes, downloads } from '../records.ts'
import { type Core, change } from '../service/core.ts'
import { counted } from '../service/counted.ts'
import { type AccountDetail, type BoxDetail, detailOf } from '../service/details.ts'
import {
  type BoxAddress,
  changing,
  locateBox,
  locateOwner,
  lookupIn,
  notFound,
  roleOnBox,
  type SeeRefusal,
  seeing,
} from '../service/guard.ts'
import { boxNamed } from '../service/load-parts.ts'
import { growthProblem } from '../service/quota.ts'
import { removeVersions } from '../service/remove-versions.ts'
import { box, boxPage, changedBox, newBox, username } from './arguments.ts'
import type { BoxPage } from './inputs.ts'
import { onBox } from './on-box.ts'

/** The box operations of a caller. */
export const boxOperations = {
  /**
   * Creates a box, owned by the account of that name.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   *
   * const made = await catalog.createBox({ username: 'alice', name: 'tiny', private: false })
   * made.ok && made.value.box.name // 'tiny'
   * const again = await catalog.createBox({ username: 'alice', name: 'Tiny' })
   * again.ok ? '' : again.refusal.code // 'box_taken'
   * await catalog.close()
   * ```
   */
  createBox: operation({
    takes: [newBox],
    refuses: [...changing, 'invalid_name', 'text_too_long', 'box_taken', 'quota_exceeded'],
    run: (core: Core, input: CreateBoxInput) =>
      change(core, (tx, env) => {
        const located = locateOwner(tx, input.username, core.caller, 'publisher')
        if (!located.ok) return located
        const { username } = located.owner
        const outcome = createBox(boxNamed(tx, username, input.name), { ...input, username }, env)
        if (!outcome.ok) return outcome
        const tooMany = growthProblem(core, tx, username, { boxes: 1 })
        if (tooMany) return tooMany
        const box = outcome.value
        tx.put(boxes, box)
        const value: BoxDetail = { box, versions: [], current: undefined, downloads: 0, updatedAt: env.now }
        return { ok: true, value, events: outcome.events, box }
      }),
  }),
  /**
   * Reads a box with its versions; callers who do not own it see only active versions.
   *
   * @example await catalog.readBox({ username: 'acme', name: 'tiny' })
   */
  readBox: operation({
    takes: [box],
    refuses: seeing,
    run: async (core: Core, address: BoxAddress): Promise<Answer<BoxDetail, SeeRefusal>> => {
      const seen = await counted(core)
      const located = locateBox(lookupIn(seen.now), address, core.caller)
      return located.ok
        ? { ok: true, value: detailOf(seen, located.box, isAtLeast(located.role, 'publisher')) }
        : located
    },
  }),
  /**
   * Changes a box; a new name frees the old one. A new name, and whether it is private, need the role `admin`.
   *
   * @example await catalog.updateBox({ username: 'acme', name: 'tiny' }, { shortDescription: 'A small box' })
   */
  updateBox: operation({
    takes: [box, changedBox],
    refuses: [...changing, 'invalid_name', 'text_too_long', 'box_taken'],
    run: (core: Core, address: BoxAddress, input: UpdateBoxInput) =>
      onBox(core, address, ({ box: before, role }, tx, env) => {
        const outcome = updateBox(before, input, env)
        if (!outcome.ok) return outcome
        const box = outcome.value
        if ((box.private !== before.private || box.name !== before.name) && !isAtLeast(role, 'admin'))
          return refuse('forbidden', 'To rename a box, or to make it public or private, needs the role admin')
        if (tagKey(box) !== tagKey(before)) {
          if (boxNamed(tx, box.username, box.name)) return refuse('box_taken', boxTaken)
          tx.delete(boxes, foldName(before.username), foldName(before.name))
        }
        tx.put(boxes, box)
        const value = detailOf({ now: tx.now, waiting: core.tally.waiting() }, box, true)
        return { ok: true, value, events: outcome.events, box }
      }),
  }),
  /**
   * Deletes a box with all its versions and images; returns its last state.
   *
   * @example await catalog.deleteBox({ username: 'acme', name: 'tiny' })
   */
  deleteBox: operation({
    takes: [box],
    refuses: changing,
    run: async (core: Core, address: BoxAddress) => {
      const answer = await onBox(
        core,
        address,
        ({ box }, tx) => {
          tx.delete(boxes, foldName(box.username), foldName(box.name))
          tx.delete(downloads, box.id)
          const value = detailOf({ now: tx.now, waiting: core.tally.waiting() }, box, true)
          return { ok: true, value, events: [{ type: 'box.deleted' }], box }
        },
        'admin',
      )
      // The box is gone; versions of it that cannot be removed now are swept later.
      if (answer.ok) await removeVersions(core, answer.value.box.id).catch(core.onError)
      return answer
    },
  }),
  /**
   * Reads a user or an organization, with the boxes that the caller may see: all of them, or a page.
   *
   * @example await catalog.readAccount('acme', { limit: 20 })
   */
  readAccount: operation({
    takes: [username, boxPage],
    refuses: ['not_found'],
    run: async (
      core: Core,
      username: string,
      { offset = 0, limit = Number.POSITIVE_INFINITY }: BoxPage = {},
    ): Promise<Answer<AccountDetail, 'not_found'>> => {
      const seen = await counted(core)
      const account = accounts.get(seen.now, foldName(username))?.value
      if (!account) return notFound
      const from = lookupIn(seen.now)
      const visible = boxes.list(seen.now, foldName(username)).flatMap(({ value: box }) => {
        const role = roleOnBox(from, account, box, core.caller)
        return role !== undefined || !box.private ? [{ box, role }] : []
      })
      const isOwn = roleOf(account, core.caller) === 'admin'
      const shown = viewOfAccount(isOwn ? account : Object.assign({}, account, { email: null, members: {} }))
      return {
        ok: true,
        value: {
          account: shown,
          boxes: visible
            .slice(offset, offset + limit)
            .map(({ box, role }) => detailOf(seen, box, isAtLeast(role, 'publisher'))),
        },
      }
    },
  }),
}
