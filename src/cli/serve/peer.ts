import { descriptorAdvice, lacksDescriptors } from '../../store/files/descriptors.ts'
import { missingPeer, packageName } from '../../store/files/missing-peer.ts'
import { UserError } from '../user-error.ts'

/**
 * Loads a module that needs an optional peer dependency.
 *
 * @param flag - the flag that requires it
 * @param install - the package and its major version, as `npm install` takes them
 * @throws UserError that says how to get the package if it is missing
 */
export async function peer<Module>(
  flag: string,
  install: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (lacksDescriptors())
      throw new UserError(`${packageName(install)} cannot be loaded: ${descriptorAdvice}`)
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new UserError(missingPeer(flag, install))
    throw error
  }
}
