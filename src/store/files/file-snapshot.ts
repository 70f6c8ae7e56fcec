import type { Entry, Range, Rev } from '../port/port.ts'

/** A realm as one of the engine's snapshots shows it. */
export interface FileSnapshot {
  readonly head: Rev
  readonly floor: Rev
  get(key: string): Entry | undefined
  scan(range: Range): Entry[]
  /** How many entries the engine counts, where it does. */
  count?(): number | undefined
  /** Every entry in the order it lies in; `read` throws where it is damaged. */
  entries(): Iterable<{ readonly key: string; readonly checked: boolean; readonly read: () => Entry }>
  /** The commits after a revision, oldest first; throws where one is damaged or missing up to the head. */
  commitsAfter(after: Rev): Iterable<{ readonly rev: Rev; readonly keys: readonly string[] }>
  /** What is wrong with the structure of the file; as long as something is, the rest is better not read. */
  structuralFaults(): Promise<readonly string[]>
}
