/**
 * Where engines keep their state: the store port, the memory adapter, replicas, transactions and hubs.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step, Timers } from '../kernel/index.ts'
export {
  type BlobPutOptions,
  type BlobRange,
  type Blobs,
  type BlobWritten,
  type DigestName,
  type Hashing,
  memoryBlobs,
} from './blobs.ts'
export { checkCommit, checkHead, checkImported, checkRange, checkSince } from './check.ts'
export { type CoalescedOptions, coalesced } from './coalesced.ts'
export { type Collection, type CollectionOptions, collection, type Stored } from './collection.ts'
export { type Harness, storeConformance } from './conformance/index.ts'
export { isStoreError, StoreError, type StoreErrorCode } from './errors.ts'
export { type Faults, type FaultyOptions, faulty } from './faulty.ts'
export { type Hub, hub } from './hub.ts'
export {
  checkKey,
  compareKeys,
  encodePart,
  isMark,
  keyOf,
  markOf,
  marks,
  type Part,
  partsOf,
  prefixEnd,
  prefixOf,
} from './keys.ts'
export { type MemoryStoreOptions, memoryStore } from './memory.ts'
export { replica } from './open-replica.ts'
export type { OrderedRows, RowRange } from './ordered-rows.ts'
export {
  type Changes,
  type Commit,
  type Entry,
  isLocal,
  type Json,
  type LocalStore,
  limits,
  type Range,
  type Rev,
  type Since,
  type Snapshot,
  type Store,
  type Verdict,
  type View,
} from './port.ts'
export { type PortableOptions, type Progress, restoreRealm, saveRealm } from './portable.ts'
export type { Replica, ReplicaOptions } from './replica.ts'
export { type RunOptions, run } from './run.ts'
export { sealed } from './sealed.ts'
export type { Keyring, SealedOptions } from './sealed-values.ts'
export { type Sweep, type Sweeper, type SweeperOptions, sweeper } from './sweeper.ts'
export { type Rows, rowKey, type Table, table } from './table.ts'
export { submit, type TransactOptions, transact } from './transact.ts'
export type { Tx } from './transaction.ts'
