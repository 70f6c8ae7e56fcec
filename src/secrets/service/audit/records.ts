import { collection } from '../../../store/index.ts'
import type { Concept } from '../core/core.ts'

/** An audit device that was enabled over HTTP. */
export interface EnabledDevice {
  /** With a slash at its end. */
  readonly path: string
  readonly type: 'file' | 'socket'
  readonly description: string
  readonly local: boolean
  /** As they were sent. */
  readonly options: Readonly<Record<string, string>>
}

/** All enabled devices in one record: every request looks at it. */
export const auditRecords = collection<{ readonly audit: readonly EnabledDevice[] }>({
  name: 'audit',
  key: () => ['it'],
  scopes: () => [],
})

export const audit: Concept = { held: [auditRecords] }
