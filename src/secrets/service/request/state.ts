import type { Token } from '../../tokens/index.ts'
import type { AuditTurn } from '../audit/trail.ts'
import type { AuditNotes } from './audit.ts'
import type { Arrival } from './door.ts'

/** What the stages learn about one request. */
export interface RequestState {
  arrival: Arrival | undefined
  notes: AuditNotes
  /** The token whose last use this request is. */
  spent: Token | undefined
  /** What the audit log was told. */
  turn: AuditTurn | undefined
  /** What was answered, and as what it is sent: the audit log need not read it again. */
  sent: { readonly body: unknown; readonly content: string } | undefined
  /** What a page of another origin needs to see of its answer. */
  crossOriginHeaders: ReadonlyMap<string, string> | undefined
}
