import { UserError } from '../user-error.ts'

/** Flags that invent secrets or data, which production must not have. */
const forTrying = ['demo', 'root-token', 'dev-keys', 'idp-script'] as const

/** The flags that are looked at, as they were given. */
type Given = Readonly<Record<(typeof forTrying)[number], string | boolean | undefined>> & {
  readonly data: string | undefined
}

/** Refuses what does not go together with `--production`. */
export function checkProductionFlags(values: Given): void {
  const wrong = forTrying.find((flag) => values[flag] !== undefined && values[flag] !== false)
  if (wrong !== undefined)
    throw new UserError(`--${wrong} is for development: remove it, or remove --production`, 2)
  if ((values.data ?? 'memory') === 'memory')
    throw new UserError(
      '--production needs durable data: set --data to a directory or postgres://…, not memory',
      2,
    )
}
