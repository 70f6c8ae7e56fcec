/**
 * Where engines keep their state: the store port, the memory adapter, replicas, transactions and hubs.
 *
 * @packageDocumentation
 */

// Start here

export { sealed } from './decorators/sealed.ts'
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from './memory/memory.ts'
export { type RunOptions, run } from './transactions/run.ts'
export { submit, type TransactOptions, transact } from './transactions/transact.ts'

// The rest, by kind

export type { Env, Instant, Outcome, Refusal, Refused, Step, Timers } from '../kernel/index.ts'
export { type Sweep, type Sweeper, type SweeperOptions, sweeper } from './background/sweeper.ts'
export { type PortableOptions, type Progress, restoreRealm, saveRealm } from './backup/portable.ts'
export {
  type BlobPutOptions,
  type BlobRange,
  type Blobs,
  type BlobWritten,
  type DigestName,
  type Hashing,
  type MemoryBlobs,
  memoryBlobs,
} from './blobs/blobs.ts'
export {
  crashConformance,
  type Harness,
  historyConformance,
  historyFaults,
  type Operation,
  type ProcessHarness,
  storeConformance,
} from './conformance/index.ts'
export { type CoalescedOptions, coalesced } from './decorators/coalesced.ts'
export { type Faults, type FaultyOptions, faulty } from './decorators/faulty.ts'
export type { Keyring, SealedOptions } from './decorators/sealed-values.ts'
export { checkCommit, checkHead, checkImported, checkRange, checkSince } from './port/check.ts'
export { type Collection, type CollectionOptions, collection, type Stored } from './port/collection.ts'
export { isStoreError, StoreError, type StoreErrorCode } from './port/errors.ts'
export { parseFrozen } from './port/json.ts'
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
} from './port/keys.ts'
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
} from './port/port.ts'
export { type Bounds, boundsOf } from './port/range-bounds.ts'
export { type NewsOptions, untilNews } from './port/until-news.ts'
export { type Waiters, waiters } from './port/waiters.ts'
export { type Hub, hub } from './replica/hub.ts'
export { replica } from './replica/open-replica.ts'
export type { Replica, ReplicaOptions } from './replica/replica.ts'
export type { OrderedRows, RowRange } from './tables/ordered-rows.ts'
export { type Rows, rowKey, type Table, table } from './tables/table.ts'
export type { Tx } from './transactions/transaction.ts'
