import * as z from 'zod'
import { mapOf } from '../values/map.ts'

/**
 * The source text of a version of a job.
 */
export const JobSubmissionSpec = z.object({
  Source: z.string().default(''),
  /** `hcl2`, `hcl1` or `json`; not read by the service. */
  Format: z.string().default(''),
  /** Values of variables that were given individually. */
  VariableFlags: mapOf(z.string()).nullable().default(null),
  /** Values of variables from a file. */
  Variables: z.string().default(''),
})
/**
 * The source text of a version of a job.
 */
export interface JobSubmissionSpec extends z.infer<typeof JobSubmissionSpec> {}
/**
 * A {@link JobSubmissionSpec} with optional fields.
 */
export interface JobSubmissionInput extends z.input<typeof JobSubmissionSpec> {}

/**
 * A stored submission.
 */
export const JobSubmission = JobSubmissionSpec.extend({
  Namespace: z.string(),
  JobID: z.string(),
  Version: z.int(),
  /** The JobModifyIndex of that version. */
  JobModifyIndex: z.int(),
})
/**
 * A stored submission.
 */
export interface JobSubmission extends z.infer<typeof JobSubmission> {}

/** The maximum length of a source and its variables together. */
const maxLength = 1_000_000

/** Why a submission is not stored; the job is registered anyway. */
export function submissionProblem({
  Source,
  Variables,
  VariableFlags,
}: JobSubmissionSpec): string | undefined {
  let length = Source.length + Variables.length
  for (const [name, value] of Object.entries(VariableFlags ?? {})) length += name.length + value.length
  return length > maxLength
    ? `job source size of ${length} exceeds maximum of ${maxLength} and will be discarded`
    : undefined
}
