import { descriptorAdvice, lacksDescriptors } from '../../store/files/descriptors.ts'
import { UserError } from '../user-error.ts'

/** Loads a module that needs an optional peer; says how to get it where it is missing. */
export async function peer<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load()
  } catch (error) {
    if (lacksDescriptors()) throw new UserError(`${name} cannot be loaded: ${descriptorAdvice}`)
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')
      throw new UserError(`this needs the package "${name}": run npm install ${name}`)
    throw error
  }
}
