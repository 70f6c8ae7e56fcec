import type { Blobs, Replica } from '../store/index.ts'
import type { Module } from './modules/model.ts'
import {
  addressParts,
  type Commit,
  contents,
  counters,
  modules,
  moves,
  type RegistryTx,
  remains,
  versions,
} from './records.ts'

/** Removes modules with all their records, which can be more than one commit holds. */
export interface ModuleRemoval {
  /** Removes a module's own record, and records its leftovers, which are unreachable. */
  readonly remove: (tx: RegistryTx, module: Module) => void
  /** Deletes the leftovers of a removed module; returns the number of records. */
  readonly clear: (moduleId: string) => Promise<number>
  /** The same for every module whose removal was interrupted. */
  readonly sweep: () => Promise<number>
}

/** How many versions, of two records each, and how many former addresses are removed in one commit. */
const perCommit = 20

export function moduleRemoval({
  view,
  commit,
  blobs,
}: {
  readonly view: () => Promise<Replica>
  readonly commit: Commit
  readonly blobs: Blobs | undefined
}): ModuleRemoval {
  /** As much as one commit can; returns how many records were deleted, and whether any are left. */
  const clearSome = (
    tx: RegistryTx,
    moduleId: string,
  ): { readonly count: number; readonly more: boolean } => {
    const left = tx.get(remains, moduleId)?.value
    if (!left) return { count: 0, more: false }
    const formers = moves.list(tx.now).filter(({ value }) => value.moduleId === moduleId)
    const numbers = left.versions.slice(0, perCommit)
    for (const { value } of formers.slice(0, perCommit)) tx.delete(moves, ...addressParts(value))
    for (const number of numbers) {
      tx.delete(versions, moduleId, number)
      tx.delete(contents, moduleId, number)
    }
    const count = Math.min(formers.length, perCommit) + 2 * numbers.length
    const more = formers.length > perCommit || left.versions.length > perCommit
    if (!more) tx.delete(remains, moduleId)
    else tx.put(remains, { moduleId, versions: left.versions.slice(perCommit) })
    return { count: more ? count : count + 1, more }
  }
  const clear = async (moduleId: string): Promise<number> => {
    // Deleted before the record that lists them; after an interruption, deleting them again is harmless.
    const left = remains.get(await (await view()).fresh(), moduleId)?.value
    for (const blob of left?.blobs ?? []) await blobs?.delete(blob)
    for (let total = 0; ; ) {
      const cleared = await commit((tx) => ({ ok: true, value: clearSome(tx, moduleId), events: [] }))
      if (!cleared.ok) return total
      total += cleared.value.count
      if (!cleared.value.more) return total
    }
  }
  return {
    remove: (tx, module) => {
      tx.delete(modules, ...addressParts(module))
      tx.delete(counters, module.id)
      const archives = module.versions.flatMap(({ blob }) => blob ?? [])
      tx.put(remains, {
        moduleId: module.id,
        versions: module.versions.map(({ number }) => number),
        ...(archives.length > 0 ? { blobs: archives } : {}),
      })
    },
    clear,
    sweep: async () => {
      let total = 0
      const now = await (await view()).fresh()
      for (const { value } of remains.list(now)) total += await clear(value.moduleId)
      return total
    },
  }
}
