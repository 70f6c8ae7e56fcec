import { type Answer, refuse } from '../../../kernel/index.ts'
import { type Born, builtInMounts, freshMounts } from '../../mounts/index.ts'
import type { InitializeRefusal, InitialKeys } from '../core/barrier.ts'
import { type Core, rootNamespace } from '../core/core.ts'
import { mountTables } from '../core/records.ts'
import { plantPolicies } from '../policies/records.ts'
import { plantRoot } from '../tokens/issuing.ts'
import { drawTokenString, isTokenString } from '../tokens/token-strings.ts'

/** The options of the initialisation. */
export interface InitializeInput {
  /** The number of shares of the unseal key; 1 to 255. */
  readonly shares: number
  /** The number of shares that unseal the service. */
  readonly threshold: number
  /** The root token's text; random by default. */
  readonly rootToken?: string | undefined
  /** Whether the identity-provider method is mounted from the beginning, at `auth/idp/`. */
  readonly withIdp?: boolean | undefined
  /**
   * Receives the keys before anything is written, so that they can be saved first: a crash in between then leaves no
   * service whose keys are lost. If it throws, nothing is initialised.
   */
  readonly keep?: ((keys: Initialized) => Promise<void>) | undefined
}

/** The result of initialising, which cannot be read again. */
export interface Initialized extends InitialKeys {}

/** The path of versioned key/value secrets in a new service. */
const firstMounts: readonly Born[] = [
  ...builtInMounts,
  { path: 'secret/', type: 'kv', description: 'key/value secret storage', options: { version: '2' } },
]

/**
 * Initialises a service: splits a new unseal key, creates the root token and the first mounts. It stays sealed. If a call
 * fails although the store took it, the same call returns its keys, until the service is unsealed.
 */
export async function initialize(
  core: Core,
  { shares, threshold, rootToken: given, withIdp = false, keep }: InitializeInput,
): Promise<Answer<Initialized, InitializeRefusal | 'invalid_root_token'>> {
  const rootToken = given ?? drawTokenString(core)
  if (!isTokenString(rootToken))
    return refuse('invalid_root_token', 'a token has 1 to 512 visible ASCII characters, without whitespace')
  const [word] = core.idpWords
  const idp = { path: `auth/${word}/`, type: word, description: 'login through an identity provider' }
  const born = withIdp ? [...firstMounts, idp] : firstMounts
  const request = {
    shares,
    threshold,
    rootToken,
    sameAs: JSON.stringify([shares, threshold, given, withIdp]),
    keepFirst: async (keys: InitialKeys) => keep?.(keys),
  }
  const made = await core.barrier.initialize(request, (tx, env, keyring) => {
    const accessorTail = () => core.randomText(8).toLowerCase()
    tx.put(mountTables, { namespace: rootNamespace.id, table: freshMounts(born, env, accessorTail) })
    plantPolicies(tx, rootNamespace, env.now)
    plantRoot(core, tx, rootToken, env, keyring)
  })
  if (!made.ok) return made
  core.emit({ at: core.env().now, namespace: '', type: 'seal.initialized' })
  return made
}
