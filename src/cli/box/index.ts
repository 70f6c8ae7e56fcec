/** The commands on boxes, in one file of the built package. */
export { mirrorCommand } from './mirror.ts'
export { oneBox, pushCommand, releaseCommand, revokeCommand } from './push.ts'
export { listCommand, showCommand } from './read.ts'
