/** The pure engine of versioned secrets: commands, views and their tables. No schemas: `model.ts` has those. */
export type { VersionsRefusal } from './change-versions.ts'
export { configureKv } from './configure.ts'
export { customMetadataProblems } from './custom-metadata.ts'
export { deleteVersions } from './delete-versions.ts'
export { destroyVersions } from './destroy-versions.ts'
export { type ExactJson, type ExactNumber, readExact, writeExact } from './exact-json.ts'
export { mergePatch } from './merge-patch.ts'
export type { KvConfig, KvEvent, Secret, SecretVersion, VersionView } from './model.ts'
export { type PatchRefusal, patchSecret } from './patch-secret.ts'
export { readSecret, type VersionFound } from './read-secret.ts'
export { readSubkeys } from './read-subkeys.ts'
export {
  type CasRefusal,
  casProblem,
  defaultConfig,
  statusOf,
  type VersionStatus,
  versionLifecycle,
} from './rules.ts'
export { undeleteVersions } from './undelete-versions.ts'
export { upgradeEntry } from './upgrade-entry.ts'
export {
  type Described,
  type MetadataCasRefusal,
  type MetadataInput,
  type MetadataPatch,
  patchMetadata,
  writeMetadata,
} from './write-metadata.ts'
export { type Written, writeSecret } from './write-secret.ts'
