import { type Refused, refuse } from '../kernel/index.ts'
import type { Module, Moved } from './modules/model.ts'
import { formatAddress } from './modules/names.ts'
import { addressParts, modules, moves, type RegistryTx } from './records.ts'

/**
 * Takes a free address for a module. A redirect of another module at this address stays valid while that module exists.
 */
export function claimAddress(tx: RegistryTx, module: Module): Refused<'module_name_taken'> | undefined {
  const parts = addressParts(module)
  const other = tx.get(modules, ...parts)?.value
  if (other && other.id !== module.id)
    return refuse('module_name_taken', `there is already a module ${formatAddress(other)}`)
  const moved = tx.get(moves, ...parts)?.value
  if (!moved) return undefined
  const owner = moved.moduleId === module.id ? undefined : movedTo(tx, moved)
  if (owner)
    return refuse(
      'module_name_taken',
      `${formatAddress(moved)} redirects to ${formatAddress(owner)}, which was renamed: remove that module first`,
    )
  tx.delete(moves, ...parts)
  return undefined
}

/** The module that left an address, at whatever address it is now; `undefined` once it was removed. */
function movedTo(tx: RegistryTx, moved: Moved): Module | undefined {
  const seen = new Set<string>()
  for (let step: Moved | undefined = moved; step && step.moduleId === moved.moduleId; ) {
    const parts = addressParts(step.to)
    if (seen.has(parts.join('/'))) return undefined
    seen.add(parts.join('/'))
    const module = tx.get(modules, ...parts)?.value
    if (module?.id === moved.moduleId) return module
    step = tx.get(moves, ...parts)?.value
  }
  return undefined
}
