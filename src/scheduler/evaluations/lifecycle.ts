import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of an evaluation: from → verb → to.
 */
export const evaluationLifecycle = lifecycle({
  pending: { complete: 'complete', fail: 'failed', cancel: 'canceled', block: 'blocked' },
  blocked: { unblock: 'pending', cancel: 'canceled' },
  complete: {},
  failed: {},
  canceled: {},
})
