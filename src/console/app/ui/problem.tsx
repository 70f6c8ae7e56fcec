import type { Problem as ServiceProblem } from '../data/call.ts'
import type { ServiceName } from '../data/services.ts'
import { TokenField } from './token-field.tsx'

/** The error of a view, and what the user can do about it. */
export function Problem({
  problem,
  service,
}: {
  readonly problem: ServiceProblem
  readonly service: ServiceName
}) {
  const needsToken = problem.status === 401 || problem.status === 403
  return (
    <div class="problem" role="alert">
      <strong>{titleOf(problem)}</strong>
      <p>{problem.message}</p>
      {needsToken && <TokenField service={service} />}
    </div>
  )
}

function titleOf({ status, message }: ServiceProblem): string {
  if (status === 0 || status === 502) return 'The service is unreachable; retrying …'
  if (status === 503 && /seal/i.test(message)) return 'The service is sealed'
  if (status === 401 || status === 403) return 'Not permitted'
  if (status === 404) return 'Not found'
  if (status === 429) return 'Too many requests; retrying …'
  if (status >= 500) return `The service failed (${status}); retrying …`
  return `Refused (${status})`
}
