import { isObject } from '../../../kernel/objects.ts'
import { signIns } from '../../../oidc/index.ts'
import { stateOf } from '../core/core.ts'

/** What is stored with a sign-in until the browser comes back. */
interface About {
  readonly mount: string
  readonly role: string
  readonly redirectUri: string
  /** A digest of the caller's nonce; empty if it sent none. */
  readonly clientNonce: string
}

/** The sign-ins of a service; they end when it is sealed. */
export const signInsOf = stateOf((core) =>
  signIns<About>(core.crypto, core.env, () => core.barrier.enter().keyring.derive('oidc'), readAbout),
)

function readAbout(value: unknown): About | undefined {
  if (!isObject(value)) return undefined
  const { mount, role, redirectUri, clientNonce } = value
  return typeof mount === 'string' &&
    typeof role === 'string' &&
    typeof redirectUri === 'string' &&
    typeof clientNonce === 'string'
    ? { mount, role, redirectUri, clientNonce }
    : undefined
}
