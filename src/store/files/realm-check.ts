import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStoreError } from '../port/errors.ts'
import { compareKeys, shown } from '../port/keys.ts'
import type { Rev } from '../port/port.ts'
import type { FileSnapshot } from './file-snapshot.ts'

/**
 * The result of a check of a realm.
 */
export interface RealmCheck {
  readonly rev: Rev
  /**
   * The numbers of entries (including marks) and remembered commits that were read: zero if the file's structure is
   * damaged.
   */
  readonly entries: number
  readonly commits: number
  /** The damage, in words that reveal no value: empty if the realm is intact. */
  readonly faults: readonly string[]
}

/** The number of faults that are reported. */
const mostFaults = 50

/** Reads a whole realm and compares its parts with one another. */
export async function checkParts(realm: FileSnapshot): Promise<RealmCheck> {
  const { head, floor } = realm
  const structural = await realm.structuralFaults()
  if (structural.length > 0) return { rev: head, entries: 0, commits: 0, faults: structural }
  const faults: string[] = []
  const found = (fault: string) => {
    if (faults.length < mostFaults) faults.push(fault)
  }
  /** An error of a damaged part is a fault; any other error is not caused by the file. */
  const reading = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!isStoreError(error, 'corrupt')) throw error
      found(error.message)
    }
  }
  /** The newest commit that wrote a key. */
  const written = new Map<string, Rev>()
  let logged = 0
  await reading(async () => {
    for (const { rev, keys } of realm.commitsAfter(floor)) {
      for (const key of keys) written.set(key, rev)
      logged += 1
      if (logged % 1_000 === 0) await nextTurn()
    }
  })
  let seen = 0
  let before: string | undefined
  await reading(async () => {
    for (const { key, read } of realm.entries()) {
      seen += 1
      if (before !== undefined && compareKeys(before, key) >= 0) found(`${shown(key)} is out of order`)
      before = key
      await reading(async () => {
        const { created, modified } = await read()
        if (!(created >= 1 && created <= modified && modified <= head))
          found(`${shown(key)} has revisions ${created} and ${modified} in a realm at ${head}`)
        const newest = written.get(key)
        if (newest === undefined ? modified > floor : modified !== newest)
          found(`${shown(key)} is at ${modified}, and the log has it at ${newest ?? 'none'}`)
      })
      written.delete(key)
      if (seen % 1_000 === 0) await nextTurn()
    }
  })
  return { rev: head, entries: seen, commits: logged, faults }
}
