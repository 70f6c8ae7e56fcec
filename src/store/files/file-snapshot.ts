import type { Remembered } from '../port/collect-changes.ts'
import type { Entry, Range } from '../port/port.ts'

/** A realm as one of the engine's snapshots shows it. `commitsAfter` throws if one is damaged or missing up to the head. */
export interface FileSnapshot extends Remembered {
  scan(range: Range): Promise<Entry[]>
  /** Every entry in storage order; `read` throws if it is damaged. */
  entries(): Iterable<{ readonly key: string; readonly read: () => Entry | Promise<Entry> }>
  /** Faults in the structure of the file; while there are any, do not read the rest. */
  structuralFaults(): Promise<readonly string[]>
}
