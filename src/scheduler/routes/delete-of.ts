import type { PathParams } from '../../http/index.ts'
import type { WriteCall, Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { type ClusterWork, operationRoute, type SchedulerRoute, writtenReply } from './context.ts'

/** Declares the route of a deletion, which requires management. */
export const deleteOf = <
  const Path extends `/${string}`,
  Args extends readonly unknown[],
  Code extends SchedulerRefusal,
>(spec: {
  readonly id: string
  readonly path: Path
  readonly summary: string
  /** The operation that deletes. */
  readonly run: ClusterWork<Args, Written<unknown>, Code>
  /** The arguments of the operation. */
  readonly with: (params: PathParams<Path>, call: WriteCall) => readonly [...Args]
}): SchedulerRoute =>
  operationRoute({
    id: spec.id,
    method: 'DELETE',
    path: spec.path,
    summary: spec.summary,
    access: 'management',
    emits: writtenHeaders,
    run: spec.run,
    with: ({ context, params }) => spec.with(params, { token: context.token }),
    answer: writtenReply,
  })
