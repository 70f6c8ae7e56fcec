import { type Refused, refuse } from '../../../kernel/index.ts'
import type { Written } from '../../service/call.ts'

/**
 * The result of writing a job: its evaluation.
 */
export interface JobWritten {
  /** Empty for jobs that only have children, which are not evaluated. */
  readonly EvalID: string
  readonly EvalCreateIndex: number
  readonly JobModifyIndex: number
  /** Warnings; empty for none. */
  readonly Warnings: string
}

export const jobWritten = (
  evaluation: { readonly ID: string } | undefined,
  rev: number,
  jobModifyIndex: number | undefined,
  warnings = '',
): Written<JobWritten> => ({
  ok: true,
  value: {
    EvalID: evaluation?.ID ?? '',
    EvalCreateIndex: evaluation === undefined ? 0 : rev,
    JobModifyIndex: jobModifyIndex ?? rev,
    Warnings: warnings,
  },
  index: rev,
})

export const priorityProblem = (priority: number | undefined): Refused<'invalid_priority'> | undefined =>
  priority === undefined || (Number.isInteger(priority) && priority >= 1 && priority <= 100)
    ? undefined
    : refuse('invalid_priority', 'Eval priority must be between 1 and 100 inclusively')
