import { UserError } from '../user-error.ts'
import { durablePlaces } from './places.ts'

/** Flags that generate secrets or data, which are not allowed in production. */
const forTrying = ['demo', 'root-token', 'dev-keys', 'idp-script'] as const

/** The validated flags. */
type Given = Readonly<Record<(typeof forTrying)[number], string | boolean | undefined>> & {
  readonly data: string | undefined
}

/** Refuses flags that `--production` does not allow. */
export function checkProductionFlags(values: Given): void {
  const wrong = forTrying.find((flag) => values[flag] !== undefined && values[flag] !== false)
  if (wrong !== undefined)
    throw new UserError(`--${wrong} is for development: remove it, or remove --production`, 2)
  if ((values.data ?? 'memory') === 'memory')
    throw new UserError(`--production needs durable data: set --data to ${durablePlaces}, not memory`, 2)
}
