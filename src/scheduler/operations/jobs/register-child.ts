import type { Env } from '../../../kernel/index.ts'
import type { JobSpec } from '../../jobs/model.ts'
import type { Ledger } from '../../service/write/ledger.ts'
import { evaluate } from '../../service/write/specification.ts'

/** Registers a child, or creates an evaluation of the existing one with this name. */
export function registerChild(
  ledger: Ledger,
  child: JobSpec,
  trigger: 'job-register' | 'periodic-job',
  env: Env,
) {
  const before = ledger.job(child)
  if (before === undefined) ledger.putJob(child)
  const known = before?.modified
  return { evaluation: evaluate(ledger, child, trigger, env, { jobModifyIndex: known }), known }
}
