import { lifecycle } from '../../kernel/index.ts'

/**
 * The lifecycle of a login: from → answer of the provider → to. Only `groups` leads to `granted`, and only a sufficient
 * password or a verified factor leads to `groups`.
 */
export const loginLifecycle = /* @__PURE__ */ lifecycle({
  /** The password is being checked. */
  password: { accepted: 'groups', factor_required: 'factor', refused: 'refused', unreachable: 'failed' },
  /** A passcode was sent, or a push was started. */
  factor: {
    verified: 'groups',
    waiting: 'waiting',
    challenged: 'challenged',
    refused: 'refused',
    unreachable: 'failed',
  },
  /** The push is on the other device. */
  waiting: {
    verified: 'groups',
    waiting: 'waiting',
    challenged: 'challenged',
    refused: 'refused',
    unreachable: 'failed',
  },
  /** The user has to choose a number on the other device. */
  challenged: {
    verified: 'groups',
    waiting: 'challenged',
    challenged: 'challenged',
    refused: 'refused',
    unreachable: 'failed',
  },
  /** The user is authenticated; the groups are being queried. */
  groups: { listed: 'granted', refused: 'refused', unreachable: 'failed' },
  granted: {},
  /** The provider's refusal, or the deadline. */
  refused: {},
  /** The provider could not be reached. */
  failed: {},
})

/** The status of a login. */
export type LoginStatus = keyof typeof loginLifecycle

/** The events of a login. */
export type LoginVerb =
  | 'accepted'
  | 'factor_required'
  | 'verified'
  | 'waiting'
  | 'challenged'
  | 'listed'
  | 'refused'
  | 'unreachable'

/**
 * {@link loginLifecycle} as a Mermaid state diagram.
 *
 * @example
 * ```ts
 * import { loginDiagram } from 'plinth/idp'
 *
 * loginDiagram().startsWith('stateDiagram-v2') // true
 * ```
 */
export function loginDiagram(): string {
  const lines = ['stateDiagram-v2', '  [*] --> password: name and password']
  for (const [from, verbs] of Object.entries(loginLifecycle)) {
    for (const [verb, to] of Object.entries(verbs))
      lines.push(`  ${from} --> ${to}: ${verb.replace('_', ' ')}`)
    if (Object.keys(verbs).length === 0) lines.push(`  ${from} --> [*]`)
  }
  return lines.join('\n')
}
