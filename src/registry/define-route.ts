import { type Exchange, type Reply, route } from '../http/index.ts'
import type { Answer, Refused } from '../kernel/index.ts'
import type { RegistryContext } from './context.ts'
import { forward } from './paths.ts'

/** The access that a caller needs, if it is not the right to read. */
export const access = {
  /** Nothing: discovery precedes authentication. */
  none: 'none',
  /** A token that may publish into the module's namespace. */
  publish: 'publish',
  /** The token of an administrator. */
  administer: 'administer',
  /** The right to read, or a ticket for one archive. */
  archive: 'archive',
} as const

export const define = route<RegistryContext>()

/** The result, or a redirect if its module has moved. */
export const answered = <Value, Code extends string>(
  answer: Answer<Value, Code | 'module_moved'>,
  exchange: Exchange,
  show: (value: Value) => Reply,
): Reply | Refused<Code | 'module_moved'> => (answer.ok ? show(answer.value) : forward(answer, exchange))
