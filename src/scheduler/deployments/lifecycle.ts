import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a deployment within one region: from → verb → to. Statuses that only a deployment over several
 * regions has (`blocked`, `unblocking`, `initializing`, `pending`) can be read and cancelled, but not entered.
 */
export const deploymentLifecycle = lifecycle({
  running: { pause: 'paused', succeed: 'successful', fail: 'failed', cancel: 'cancelled', resume: 'running' },
  paused: { resume: 'running', fail: 'failed', cancel: 'cancelled', pause: 'paused' },
  blocked: { unblock: 'unblocking', fail: 'failed', cancel: 'cancelled' },
  unblocking: { succeed: 'successful', fail: 'failed', cancel: 'cancelled' },
  initializing: { cancel: 'cancelled', fail: 'failed' },
  pending: { cancel: 'cancelled', fail: 'failed', resume: 'running' },
  successful: {},
  failed: {},
  cancelled: {},
})

/**
 * The status descriptions of a deployment.
 */
export const deploymentDescriptions = {
  running: 'Deployment is running',
  needsPromotion: 'Deployment is running but requires manual promotion',
  autoPromotion: 'Deployment is running pending automatic promotion',
  paused: 'Deployment is paused',
  successful: 'Deployment completed successfully',
  stopped: 'Cancelled because job is stopped',
  newerVersion: 'Cancelled due to newer version of job',
  unhealthy: 'Failed due to unhealthy allocations',
  progressDeadline: 'Failed due to progress deadline',
  failedByUser: 'Deployment marked as failed',
} as const
