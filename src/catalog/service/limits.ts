import type { Outcome } from '../../kernel/index.ts'
import type { Tx } from '../../store/index.ts'
import { type SizeRefusal, sizeProblem } from '../boxes/limits.ts'
import type { Box } from '../boxes/model.ts'
import { versions } from '../records.ts'
import type { Version } from '../versions/model.ts'
import type { Core } from './core.ts'
import { growAlone, growthProblem } from './quota.ts'

/** The changed version, unless it is too large. */
export function withinLimits<Value, Event, Code extends string>(
  core: Core,
  tx: Tx,
  box: Box,
  before: Version | undefined,
  outcome: Outcome<Version, Value, Event, Code>,
): Outcome<Version, Value, Event, Code | SizeRefusal | 'quota_exceeded'> {
  if (!outcome.ok) return outcome
  growAlone(tx, box.username)
  const all = versions.list(tx.now, box.id).map(({ value }) => value)
  return (
    (before ? undefined : growthProblem(core, tx, box.username, { versions: 1 })) ??
    sizeProblem(all, before, outcome.state, core.sizeLimits) ??
    outcome
  )
}
