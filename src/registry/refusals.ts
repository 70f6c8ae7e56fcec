import { type Refused, refuse } from '../kernel/index.ts'
import { formatAddress, type ModuleAddress } from './modules/names.ts'

/**
 * Why a module cannot be read: it does not exist, or has moved.
 */
export type ReadModuleRefusal = 'module_not_found' | 'module_moved'

/** Unknown module; readers who may not see it get the same refusal. */
export const moduleNotFound = (address: ModuleAddress): Refused<'module_not_found'> =>
  refuse('module_not_found', `module ${shown(formatAddress(address))} is not in this registry`)

/** The module has no version yet: clients see it as if it did not exist. */
export const moduleUnversioned = (address: ModuleAddress): Refused<'module_not_found'> =>
  refuse('module_not_found', `module ${formatAddress(address)} has no version yet: publish one first`)

/** The module has another address; `detail.to` has it. */
export const moduleMoved = (from: ModuleAddress, to: ModuleAddress): Refused<'module_moved'> =>
  refuse('module_moved', `module ${formatAddress(from)} is now ${formatAddress(to)}`, { to })

export const versionNotFound = (address: ModuleAddress, version: string): Refused<'version_not_found'> =>
  refuse('version_not_found', `module ${formatAddress(address)} has no version ${shown(version)}`)

/** Truncates a caller's text for a message. */
const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
