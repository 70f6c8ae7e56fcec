import type { Entry, Range, Rev } from '../port/port.ts'

/** A realm as one of the engine's snapshots shows it. */
export interface FileSnapshot {
  readonly head: Rev
  readonly floor: Rev
  get(key: string): Entry | undefined
  scan(range: Range): Entry[]
  /** Every entry in storage order; `read` throws if it is damaged. */
  entries(): Iterable<{ readonly key: string; readonly read: () => Entry }>
  /** The commits after a revision, oldest first; throws if one is damaged or missing up to the head. */
  commitsAfter(after: Rev): Iterable<{ readonly rev: Rev; readonly keys: readonly string[] }>
  /** Faults in the structure of the file; while there are any, do not read the rest. */
  structuralFaults(): Promise<readonly string[]>
}
