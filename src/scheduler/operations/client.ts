import { type Refused, refuse } from '../../kernel/index.ts'
import type { NamespaceCapability } from '../acl/capabilities.ts'
import { nodeTokenRecords } from '../records/collections.ts'
import { readAllocation } from '../records/tables.ts'
import type { RunnerAnswer, RunnerCall } from '../runners/call-model.ts'
import { permissionDenied, seenBy } from '../service/authenticate.ts'
import type { WriteCall } from '../service/call.ts'
import type { Cluster } from '../service/cluster.ts'
import { enter } from '../service/enter.ts'

/** What the runner of an allocation is asked. */
export type Question = Pick<RunnerCall, 'Do'> & Partial<RunnerCall>

/** The caller of a runner, their rights, one of which is required, and the signal that ends the wait. */
export interface RunnerCaller extends WriteCall {
  readonly needs: readonly NamespaceCapability[]
  readonly signal?: AbortSignal | undefined
}

/** The refusals of {@link askRunner}. */
export const runnerRefusals = [
  'permission_denied',
  'allocation_not_found',
  'no_path_to_node',
  'file_not_found',
  'invalid_runner_call',
] as const

/** Asks the runner of an allocation, if the caller may. */
export const askRunner = (
  cluster: Cluster,
  id: string,
  question: Question,
  caller: RunnerCaller,
): Promise<{ readonly ok: true; readonly value: RunnerAnswer } | Refused<(typeof runnerRefusals)[number]>> =>
  enter(cluster, { token: caller.token }, async ({ now, access }) => {
    const { needs, signal } = caller
    const found = seenBy(access, readAllocation(now, id), ...needs)
    if (!access.namespace(found?.Namespace ?? 'default', ...needs)) return permissionDenied()
    if (found === undefined) return refuse('allocation_not_found', `Unknown allocation ${JSON.stringify(id)}`)
    const whole = { ...nothingElse, ...question, AllocID: id }
    const hasRunner = nodeTokenRecords.get(now, found.NodeID) !== undefined
    const answer = hasRunner ? await cluster.runners.ask(found.NodeID, whole, signal) : undefined
    if (answer === undefined)
      return refuse(
        'no_path_to_node',
        hasRunner
          ? `No path to node: the runner of ${found.NodeID} does not answer this server; of several servers on one store, ask the one in its --address`
          : `No path to node: ${found.NodeID} has no runner`,
      )
    const { Refused: refused } = answer
    return refused === null ? { ok: true as const, value: answer } : refuse(refused.Code, refused.Message)
  })

const nothingElse = {
  Path: '',
  Task: '',
  Type: 'stdout',
  File: null,
  Offset: 0,
  Origin: 'start',
  Limit: 0,
  WaitMs: 0,
  Signal: '',
} as const satisfies Omit<RunnerCall, 'ID' | 'AllocID' | 'Do'>
