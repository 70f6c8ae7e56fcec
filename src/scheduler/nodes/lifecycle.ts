import { lifecycle } from '../../kernel/index.ts'

/**
 * The life of a node: from → verb → to. A node that comes back after a silence its work may have outlived
 * starts over as initializing.
 *
 * @public
 */
export const nodeLifecycle = lifecycle({
  initializing: { ready: 'ready', lose: 'down', down: 'down' },
  ready: { ready: 'ready', lose: 'down', disconnect: 'disconnected', down: 'down' },
  down: { ready: 'ready', down: 'down' },
  disconnected: { ready: 'initializing', lose: 'down', down: 'down' },
})
