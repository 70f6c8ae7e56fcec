import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of an allocation on its node: from → report → to. A disconnected node leaves its allocations `unknown`,
 * or `lost` if they may not outlive the disconnection.
 */
export const allocationLifecycle = lifecycle({
  pending: { start: 'running', finish: 'complete', fail: 'failed', lose: 'lost', disconnect: 'unknown' },
  running: { finish: 'complete', fail: 'failed', lose: 'lost', disconnect: 'unknown' },
  unknown: { reconnect: 'running', finish: 'complete', fail: 'failed', lose: 'lost' },
  complete: {},
  failed: {},
  lost: {},
})
