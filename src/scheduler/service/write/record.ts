import { type Answer, type Env, type Refused, unwrap } from '../../../kernel/index.ts'
import type { Decision } from '../../../store/transactions/runner.ts'
import type { Cluster } from '../cluster.ts'
import type { SchedulerEvent } from '../events.ts'
import { type Ledger, openLedger } from './ledger.ts'

/** Decides and commits through a ledger: all writes and the derived statuses, or none of them. */
export const record = async <Value, Code extends string = never>(
  cluster: Cluster,
  decide: (ledger: Ledger, env: Env) => Decision<Value, SchedulerEvent> | Refused<Code>,
): Promise<{ readonly answer: Answer<Value, Code>; readonly rev: number }> => {
  let ledger: Ledger | undefined
  const made = await cluster.commitAt<Value, Code>((tx, env) => {
    ledger = openLedger(cluster, tx)
    const decided = decide(ledger, env)
    if (decided.ok) ledger.settle()
    return decided
  })
  if (made.answer.ok) ledger?.stored(made.rev)
  return made
}

/** The same for decisions that are never refused. */
export async function mustRecord<Value>(
  cluster: Cluster,
  decide: (ledger: Ledger, env: Env) => Decision<Value, SchedulerEvent>,
): Promise<{ readonly value: Value; readonly rev: number }> {
  const { answer, rev } = await record<Value>(cluster, decide)
  return { value: unwrap(answer), rev }
}

/** A decision without a value. */
export const done = (events: readonly SchedulerEvent[] = []): Decision<undefined, SchedulerEvent> => ({
  ok: true,
  value: undefined,
  events,
})
