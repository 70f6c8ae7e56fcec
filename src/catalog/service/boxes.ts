import { type Answer, refuse } from '../../kernel/index.ts'
import { type Caller, host, ownsBoxesOf } from '../accounts/access.ts'
import { viewOfAccount } from '../accounts/view.ts'
import { boxTaken, type CreateBoxInput, type CreateBoxRefusal, createBox, tagKey } from '../boxes/create.ts'
import { foldName } from '../boxes/names.ts'
import { type UpdateBoxInput, updateBox } from '../boxes/update.ts'
import { accounts, boxes, downloads, versions } from '../records.ts'
import { type Core, change, counted, snapshot } from './core.ts'
import { type AccountDetail, type BoxDetail, detailOf } from './details.ts'
import {
  type AccessRefusal,
  type BoxAddress,
  locateBox,
  locateOwner,
  lookupIn,
  notFound,
  type SeeRefusal,
} from './guard.ts'
import { boxCountProblem } from './limits.ts'
import { boxNamed } from './load-parts.ts'
import { blobsOf } from './versions.ts'

/**
 * What a caller can do with boxes.
 *
 * @public
 */
export interface BoxMethods {
  /**
   * Makes a box, owned by the account of that name.
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
  readonly createBox: (
    input: CreateBoxInput,
  ) => Promise<Answer<BoxDetail, CreateBoxRefusal | 'too_many_boxes' | AccessRefusal | 'contended'>>
  /** A box with its versions; to whoever does not own it, with the active ones only. */
  readonly readBox: (address: BoxAddress) => Promise<Answer<BoxDetail, SeeRefusal>>
  /** Changes a box; a new name frees the old one. */
  readonly updateBox: (
    address: BoxAddress,
    input: UpdateBoxInput,
  ) => Promise<
    Answer<BoxDetail, AccessRefusal | 'invalid_name' | 'text_too_long' | 'box_taken' | 'contended'>
  >
  /** Deletes a box with all its versions and images; answers with what it was. */
  readonly deleteBox: (address: BoxAddress) => Promise<Answer<BoxDetail, AccessRefusal | 'contended'>>
  /** A user or an organization, with the boxes that the caller may see. */
  readonly readAccount: (username: string) => Promise<Answer<AccountDetail, 'not_found'>>
}

export const boxMethods = (core: Core, caller: Caller): BoxMethods => ({
  createBox: (input) =>
    change(core, caller, (tx, env) => {
      const located = locateOwner(tx, input.username, caller)
      if (!located.ok) return located
      const { username } = located.owner
      const outcome = createBox(boxNamed(tx, username, input.name), { ...input, username }, env)
      if (!outcome.ok) return outcome
      const tooMany = boxCountProblem(core, tx, username)
      if (tooMany) return tooMany
      const box = outcome.value
      tx.put(boxes, box)
      const value: BoxDetail = { box, versions: [], current: undefined, downloads: 0, updatedAt: env.now }
      return { ok: true, value, events: outcome.events, box }
    }),

  readBox: async (address) => {
    const seen = await counted(core)
    const located = locateBox(lookupIn(seen.now), address, caller, 'see')
    return located.ok ? { ok: true, value: detailOf(seen, located.box, located.owned) } : located
  },

  updateBox: (address, input) =>
    change(core, caller, (tx, env) => {
      const located = locateBox(tx, address, caller, 'change')
      if (!located.ok) return located
      const outcome = updateBox(located.box, input, env)
      if (!outcome.ok) return outcome
      const box = outcome.value
      if (tagKey(box) !== tagKey(located.box)) {
        if (boxNamed(tx, box.username, box.name)) return refuse('box_taken', boxTaken)
        tx.delete(boxes, foldName(located.box.username), foldName(located.box.name))
      }
      tx.put(boxes, box)
      return {
        ok: true,
        value: detailOf({ now: tx.now, waiting: core.tally.waiting() }, box, true),
        events: outcome.events,
        box,
      }
    }),

  deleteBox: async (address) => {
    const answer = await change(core, caller, (tx) => {
      const located = locateBox(tx, address, caller, 'change')
      if (!located.ok) return located
      const { box } = located
      tx.delete(boxes, foldName(box.username), foldName(box.name))
      tx.delete(downloads, box.id)
      return {
        ok: true,
        value: detailOf({ now: tx.now, waiting: core.tally.waiting() }, box, true),
        events: [{ type: 'box.deleted' }],
        box,
      }
    })
    // The box is gone; versions of it that cannot be removed now are swept later.
    if (answer.ok) await removeVersions(core, answer.value.box.id).catch(core.onError)
    return answer
  },

  readAccount: async (username) => {
    const seen = await counted(core)
    const { now } = seen
    const account = accounts.get(now, foldName(username))?.value
    if (!account) return notFound
    const owned = ownsBoxesOf(account, caller)
    const own = boxes.list(now, foldName(username)).map(({ value }) => value)
    const visible = own.filter((box) => owned || !box.private)
    const shown = viewOfAccount(owned ? account : { ...account, email: null })
    return { ok: true, value: { account: shown, boxes: visible.map((box) => detailOf(seen, box, owned)) } }
  },
})

/** A commit holds 64 keys; a box may have had more versions. */
const versionsPerCommit = 60

/**
 * Removes the versions of a box that is gone; answers how many. Nobody can add one meanwhile: every write of a version
 * expects its box.
 */
export async function removeVersions(core: Core, boxId: string): Promise<number> {
  for (let total = 0; ; ) {
    const now = await snapshot(core)
    const left = versions.list(now, boxId).map(({ value }) => value)
    if (left.length === 0) return total
    const batch = left.slice(0, versionsPerCommit)
    const removed = await change(core, host, (tx) => {
      for (const { canonical } of batch) tx.delete(versions, boxId, canonical)
      return { ok: true, value: undefined, events: [], droppedBlobs: batch.flatMap(blobsOf) }
    })
    if (!removed.ok) return total
    total += batch.length
  }
}
