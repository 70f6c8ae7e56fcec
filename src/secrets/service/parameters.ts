import type { Route } from '../../http/index.ts'
import { refuse } from '../../kernel/index.ts'
import { decide } from '../acl/index.ts'
import type { SecretsContext } from './context.ts'

/** A route whose parameters are judged, where a rule looks at them, before it does anything. */
export const checked = (route: Route<SecretsContext>): Route<SecretsContext> => ({
  ...route,
  answer: (call, read, receive) =>
    route.answer(call, read, async () => {
      const received = await receive()
      const { undecided } = call.context
      if ('refusal' in received || undecided === undefined) return received
      const parameters = isObject(received.json) ? received.json : call.query
      const { allowed } = decide(undecided.acl, { ...undecided.request, parameters })
      return allowed ? received : refuse('permission_denied', 'permission denied')
    }),
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
