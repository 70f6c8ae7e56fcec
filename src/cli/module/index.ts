/** The commands on modules, in one file of the built package. */
export { objectOf } from '../box/catalog-client.ts'
export { deleteCommand } from './delete.ts'
export { deprecateCommand } from './deprecate.ts'
export { mirrorCommand } from './mirror.ts'
export { publishCommand } from './publish.ts'
export { listCommand, showCommand, versionsCommand } from './read.ts'
export { refusalOf, registryClient } from './registry-client.ts'
export { renameCommand, updateCommand } from './update.ts'
