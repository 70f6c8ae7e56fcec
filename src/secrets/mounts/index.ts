/** The pure engine of mounts: the mount table and its rules. */
export { disableMount } from './disable-mount.ts'
export { type EnableInput, type EnableRefusal, enableMount } from './enable-mount.ts'
export { listMounts, type MountFound, mountFinder } from './find-mount.ts'
export { type Born, builtInMounts, freshMounts, missingMounts } from './fresh-mounts.ts'
export type { Mount, MountEvent, MountTable, TokenType } from './model.ts'
export { type MoveRefusal, moveMount } from './move-mount.ts'
export {
  canonicalPath,
  kvVersionOf,
  type MountPathRefusal,
  type MountPolicy,
  mountPolicy,
  type OptionsRefusal,
  type TtlRefusal,
} from './rules.ts'
export { finishUpgrade, type Tuned, type TuneInput, type TuneRefusal, tuneMount } from './tune-mount.ts'
