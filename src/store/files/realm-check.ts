import { setImmediate as nextTurn } from 'node:timers/promises'
import { isStoreError } from '../port/errors.ts'
import { compareKeys, shown } from '../port/keys.ts'
import type { Entry, Rev } from '../port/port.ts'

/**
 * What a check of a realm found.
 *
 * @public
 */
export interface RealmCheck {
  readonly rev: Rev
  /** How many entries, marks included, and how many remembered commits there are. */
  readonly entries: number
  readonly commits: number
  /** How many entries were written before there were checksums, so that only their form could be checked. */
  readonly unchecked: number
  /** What is damaged, in words that show no value: empty where the realm is whole. */
  readonly faults: readonly string[]
}

/** A realm as it lies in a file. */
export interface RealmParts {
  readonly head: Rev
  readonly floor: Rev
  /** How many entries the engine counts, where it does. */
  readonly count: number | undefined
  /** Every entry in the order it lies in; `read` throws where it is damaged. */
  readonly entries: Iterable<{ readonly key: string; readonly checked: boolean; readonly read: () => Entry }>
  /** Every remembered commit, oldest first; throws where one is damaged or missing. */
  readonly commits: Iterable<{ readonly rev: Rev; readonly keys: readonly string[] }>
}

/** So many faults say enough. */
const mostFaults = 50

/** Reads a whole realm and compares its parts with one another. */
export async function checkParts({ head, floor, count, entries, commits }: RealmParts): Promise<RealmCheck> {
  const faults: string[] = []
  const found = (fault: string) => {
    if (faults.length < mostFaults) faults.push(fault)
  }
  /** What a damaged part throws is a fault; anything else is none of the file's. */
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
    for (const { rev, keys } of commits) {
      for (const key of keys) written.set(key, rev)
      logged += 1
      if (logged % 1_000 === 0) await nextTurn()
    }
  })
  let [seen, unchecked] = [0, 0]
  let before: string | undefined
  await reading(async () => {
    for (const { key, checked, read } of entries) {
      seen += 1
      if (!checked) unchecked += 1
      if (before !== undefined && compareKeys(before, key) >= 0) found(`${shown(key)} is out of order`)
      before = key
      await reading(async () => {
        const { created, modified } = read()
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
  if (count !== undefined && count !== seen)
    found(`${seen} entries can be read, and there should be ${count}`)
  return { rev: head, entries: seen, commits: logged, unchecked, faults }
}
