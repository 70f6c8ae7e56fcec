import { type Outcome, type Refused, refuse } from '../../kernel/index.ts'
import { prefixOf, type Tx } from '../../store/index.ts'
import { type SizeRefusal, sizeProblem } from '../boxes/limits.ts'
import type { Box } from '../boxes/model.ts'
import { foldName } from '../boxes/names.ts'
import { boxes, versions } from '../records.ts'
import type { Version } from '../versions/model.ts'
import type { Core } from './core.ts'

/** No other object of an owner may grow concurrently, because this decision depends on the total. */
function growAlone(tx: Tx, owner: string): void {
  tx.guard('growth', foldName(owner))
  tx.touch('growth', foldName(owner))
}

/** Returns why an owner cannot have another box. */
export function boxCountProblem(
  { sizeLimits: { boxesPerOwner } }: Core,
  tx: Tx,
  owner: string,
): Refused<'too_many_boxes'> | undefined {
  growAlone(tx, owner)
  const prefix = prefixOf(boxes.name, foldName(owner))
  if (tx.now.scan({ prefix, limit: boxesPerOwner }).length < boxesPerOwner) return undefined
  return refuse(
    'too_many_boxes',
    `${owner} has ${boxesPerOwner} boxes, which is the maximum: delete one that is no longer needed first`,
  )
}

/** The changed version, unless it is too large. */
export function withinLimits<Value, Event, Code extends string>(
  core: Core,
  tx: Tx,
  box: Box,
  before: Version | undefined,
  outcome: Outcome<Version, Value, Event, Code>,
): Outcome<Version, Value, Event, Code | SizeRefusal> {
  if (!outcome.ok) return outcome
  growAlone(tx, box.username)
  const all = versions.list(tx.now, box.id).map(({ value }) => value)
  return sizeProblem(all, before, outcome.state, core.sizeLimits) ?? outcome
}
