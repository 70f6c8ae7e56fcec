import { checkHead, checkImported } from '../port/check.ts'
import { StoreError } from '../port/errors.ts'
import type { Entry, Rev } from '../port/port.ts'
import { pause } from './client.ts'
import { explain, isPassing } from './errors.ts'
import { bytesOf, partsOf } from './pieces.ts'
import { headIn, type Session, storedText } from './realm.ts'
import { type Compare, decode, type Op, one, put, remove, removeBelow, unchanged } from './wire.ts'

/** Ends an import that runs, or whose process died, and removes what it has written. */
export const clearClaim = async ({ client, keys }: Session, at: string): Promise<void> => {
  await client.write([unchanged(keys.claim, at), unchanged(keys.head)], cleared(keys))
}

const cleared = (keys: Session['keys']): readonly Op[] => [
  remove(keys.claim),
  removeBelow(keys.entries),
  removeBelow(keys.pieces),
]

/** What one transaction of an import holds: each key is also compared, because none may come twice. */
const perStep = { entries: 90, bytes: 600_000 }

/**
 * Fills an empty realm. The entries are written while there is no head, so that no read sees them, each group by a step
 * that numbers the claim; the last step writes the head.
 */
export async function importAll(session: Session, entries: AsyncIterable<Entry>, head: Rev): Promise<void> {
  checkHead(head)
  const { client, keys, newName } = session
  const claim = await claimedRealm(session, head)
  const { step } = claim
  await step([removeBelow(keys.entries), removeBelow(keys.pieces)])
  try {
    let group = new Map<string, Op>()
    let bytes = 0
    const flush = async () => {
      await step(
        [...group.values()],
        [...group.keys()].map((key) => unchanged(keys.entries + key)),
      )
      group = new Map()
      bytes = 0
    }
    for await (const entry of entries) {
      checkImported(entry, head)
      const { key, value, created, modified } = entry
      const text = JSON.stringify(value)
      const bytesOfText = Buffer.from(text)
      const pieces = bytesOfText.length > bytesOf.inline ? newName() : undefined
      const stored = storedText({ key, created, modified, text }, pieces)
      if (pieces !== undefined)
        for (const part of partsOf(`${keys.pieces}${pieces}/`, bytesOfText))
          await client.call('/v3/kv/put', part)
      if (group.has(key) || group.size === perStep.entries || bytes > perStep.bytes) await flush()
      group.set(key, put(keys.entries + key, stored))
      bytes += key.length + stored.length
    }
    await flush()
    await step([put(keys.head, JSON.stringify({ rev: head, floor: head }))], [], true)
  } catch (error) {
    await clearClaim(session, claim.at()).catch(() => undefined)
    throw error
  }
}

/** Claims an empty realm for an import, whose steps number the claim. */
async function claimedRealm(session: Session, head: Rev) {
  const { client, keys, timers, newName } = session
  const name = newName()
  const look = async () => {
    const [found, claim] = await client.read([one(keys.head), one(keys.claim)])
    const { value, mod_revision: at = '0' } = claim?.kvs?.[0] ?? {}
    return { head: headIn(found), claim: decode(value), at }
  }
  const notEmpty = () => new StoreError('not_empty', 'the realm has data, or another import fills it')
  const before = await look()
  if (before.head.at !== '0') throw notEmpty()
  if (before.at !== '0') await clearClaim(session, before.at)
  let claimed = { step: 0, at: '0' }
  /** Applies one step, once. */
  const step = async (ops: readonly Op[], compare: readonly Compare[] = [], isLast = false) => {
    const isOver = client.deadline()
    const mine = `${name} ${claimed.step + 1}`
    const claiming = isLast ? remove(keys.claim) : put(keys.claim, mine)
    while (true) {
      let refused: unknown
      try {
        refused = await client.write(
          [unchanged(keys.claim, claimed.at), unchanged(keys.head), ...compare],
          [claiming, ...ops],
        )
      } catch (error) {
        if (!isPassing(error) || isOver()) throw explain(error, 'etcd')
        await pause(timers)
      }
      const now = await look()
      if (isLast ? now.head.rev === head && now.at === '0' : now.claim === mine) {
        claimed = { step: claimed.step + 1, at: now.at }
        return
      }
      if (now.at !== claimed.at || now.head.at !== '0') throw notEmpty()
      if (refused !== undefined) throw new StoreError('invalid', 'a key is imported twice')
    }
  }
  return { step, at: () => claimed.at }
}
