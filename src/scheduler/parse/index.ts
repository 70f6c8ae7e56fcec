/**
 * Reads jobs that are written in HCL.
 *
 * @packageDocumentation
 */
export type { Plain } from '../../hcl/index.ts'
export { type ParsedJob, parseJob } from './parse-job.ts'
