import type { DeploymentRecord } from './model.ts'

/**
 * Whether a deployment is over.
 *
 * @public
 */
export const isTerminalDeployment = ({ Status }: Pick<DeploymentRecord, 'Status'>): boolean =>
  Status === 'successful' || Status === 'failed' || Status === 'cancelled'
