import * as z from 'zod'
import { type Reply, reply } from '../../http/index.ts'
import type { Refused } from '../../kernel/index.ts'
import type { Written } from '../service/call.ts'
import type { SchedulerRefusal } from '../service/status-of.ts'
import type { RouteContext } from './context.ts'

/** The fields that {@link jobWrittenReply} adds. */
export const contact = {
  Index: z.int(),
  LastContact: z.int(),
  KnownLeader: z.boolean(),
  NextToken: z.string(),
}

/** The result of a job write, with the index and contact fields that clients of this service read in the body. */
export function jobWrittenReply<Code extends SchedulerRefusal>(
  written: Written<object> | Refused<Code>,
  { context: { words } }: { readonly context: RouteContext },
  more: object = {},
): Reply | Refused<Code> {
  if (!written.ok) return written
  const { value, index } = written
  const contact = { Index: index, LastContact: 0, KnownLeader: true, NextToken: '' }
  const body = Object.assign({}, value, more, contact)
  return reply(body, { headers: words.emit({ Index: String(index) }) })
}
