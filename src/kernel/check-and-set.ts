import { type Refused, refuse } from './refusal.ts'

/** Why a write is refused whose writer expects another version; 0 means "none yet". */
export const casMismatch = (
  current: number,
  expected: number,
  detail: Readonly<Record<string, unknown>> = { current },
): Refused<'cas_mismatch'> | undefined =>
  expected === current
    ? undefined
    : refuse('cas_mismatch', 'check-and-set parameter did not match the current version', detail)
