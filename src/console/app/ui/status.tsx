/** The colour of each status, for all services. */
const meanings: Readonly<Record<string, 'good' | 'busy' | 'bad' | 'idle'>> = {
  running: 'good',
  ready: 'good',
  successful: 'good',
  complete: 'good',
  active: 'good',
  healthy: 'good',
  allowed: 'good',
  unsealed: 'good',
  pending: 'busy',
  initializing: 'busy',
  blocked: 'busy',
  paused: 'busy',
  unreleased: 'busy',
  draining: 'busy',
  ineligible: 'busy',
  'shutting down': 'busy',
  deleted: 'busy',
  'sign-in needed': 'busy',
  'not initialised': 'busy',
  failed: 'bad',
  lost: 'bad',
  down: 'bad',
  disconnected: 'bad',
  unhealthy: 'bad',
  away: 'bad',
  unreachable: 'bad',
  denied: 'bad',
  sealed: 'bad',
  destroyed: 'bad',
  revoked: 'bad',
  dead: 'idle',
  cancelled: 'idle',
  canceled: 'idle',
}

/** A status as a coloured mark with its word, because colour alone is not accessible. */
export function Status({ of }: { readonly of: string }) {
  return <span class={`status ${meanings[of] ?? 'idle'}`}>{of}</span>
}
