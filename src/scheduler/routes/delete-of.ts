import type { PathParams } from '../../http/index.ts'
import type { Refused } from '../../kernel/index.ts'
import type { WriteCall, Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import { writtenHeaders } from '../wire/replies.ts'
import { type Methods, route, type SchedulerRoute, writtenReply } from './context.ts'

/** Declares the route of a deletion, which requires management. */
export const deleteOf = <const Path extends `/${string}`>(spec: {
  readonly id: string
  readonly path: Path
  readonly summary: string
  /** The operation that deletes. */
  readonly runs: { readonly refuses: readonly SchedulerRefusal[] }
  readonly delete: (
    scheduler: Methods,
    params: PathParams<Path>,
    call: WriteCall,
  ) => Promise<Written<unknown> | Refused<SchedulerRefusal>>
}): SchedulerRoute =>
  route({
    id: spec.id,
    method: 'DELETE',
    path: spec.path,
    summary: spec.summary,
    access: 'management',
    runs: [spec.runs],
    emits: writtenHeaders,
    handle: async ({ context, params }) =>
      writtenReply(context, await spec.delete(context.scheduler, params, { token: context.token })),
  })
