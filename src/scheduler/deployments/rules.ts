import type { DeploymentRecord } from './model.ts'

/**
 * Whether a deployment is over.
 *
 * @example
 * ```ts
 * import { isTerminalDeployment } from 'plinth/scheduler'
 *
 * isTerminalDeployment({ Status: 'failed' }) // true
 * isTerminalDeployment({ Status: 'paused' }) // false
 * ```
 */
export const isTerminalDeployment = ({ Status }: Pick<DeploymentRecord, 'Status'>): boolean =>
  Status === 'successful' || Status === 'failed' || Status === 'cancelled'
