import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a node: from → verb → to. A node that returns after its allocations may have been lost starts over
 * as initializing.
 */
export const nodeLifecycle = lifecycle({
  initializing: { ready: 'ready', lose: 'down', down: 'down' },
  ready: { ready: 'ready', lose: 'down', disconnect: 'disconnected', down: 'down' },
  down: { ready: 'ready', down: 'down' },
  disconnected: { ready: 'initializing', lose: 'down', down: 'down' },
})
