import type { Token } from '../../tokens/index.ts'
import type { AuditTurn } from '../audit/trail.ts'
import type { AuditNotes } from './audit.ts'
import type { Arrival } from './resolve.ts'

/** The data that the stages collect about one request. */
export interface RequestState {
  arrival: Arrival | undefined
  notes: AuditNotes
  /** The token whose last use this request is. */
  spent: Token | undefined
  /** Whether a quota limits this login by the role in its body, so that it is counted once that is read. */
  limitNeedsBody: boolean
  /** The data of the audit log. */
  turn: AuditTurn | undefined
  /** The answer, and its JSON as it is sent: the audit log does not serialise it again. */
  sent: { readonly body: unknown; readonly content: string } | undefined
  /** Headers of the answer besides those of its route: those of CORS rules and quotas. */
  readonly headers: Map<string, string>
}
