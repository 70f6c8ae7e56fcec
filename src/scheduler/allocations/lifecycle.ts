import { lifecycle } from '../../kernel/index.ts'

/**
 * What becomes of an allocation on its node: from → what is heard of it → to. A node that is out of touch
 * leaves its allocations `unknown`, or `lost` where they may not outlive its silence.
 *
 * @public
 */
export const allocationLifecycle = lifecycle({
  pending: { start: 'running', finish: 'complete', fail: 'failed', lose: 'lost', disconnect: 'unknown' },
  running: { finish: 'complete', fail: 'failed', lose: 'lost', disconnect: 'unknown' },
  unknown: { reconnect: 'running', finish: 'complete', fail: 'failed', lose: 'lost' },
  complete: {},
  failed: {},
  lost: {},
})
