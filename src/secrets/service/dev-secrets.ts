import { checkOptions } from '../../kernel/check-options.ts'
import { type SecretsOptions, secretsOptions } from './core/options.ts'
import { createSecrets, type Secrets } from './create-secrets.ts'
import type { InitializeInput } from './seal/initialize.ts'

/** The result of {@link devSecrets}. */
export interface DevSecrets {
  readonly service: Secrets
  readonly rootToken: string
  /** The key shares, in hexadecimal, which unseal the same store again. */
  readonly unsealKeys: readonly string[]
}

/** The options of {@link devSecrets} besides those of the service. */
export interface DevOptions extends SecretsOptions, Pick<InitializeInput, 'keep'> {
  /** The root token's text; random by default. On an initialised store, the one it was initialised with. */
  readonly rootToken?: string | undefined
  /** The key shares of an initialised store; generated for a new one. */
  readonly unsealKeys?: readonly string[] | undefined
}

/**
 * Creates a secrets service that is ready to use: initialised, unsealed, versioned secrets at `secret/`, the
 * identity-provider method at `auth/idp/`. For development and tests: its keys and its root token give full access.
 *
 * @throws Error if the store is initialised and `unsealKeys` or `rootToken` do not belong to it, or if it is not and
 * there are `unsealKeys`
 *
 * @example
 * ```ts
 * import { devSecrets } from 'plinth/secrets'
 *
 * const { service, rootToken } = await devSecrets({ rootToken: 'root' })
 * const answer = await service.fetch(
 *   new Request('http://localhost/v1/secret/data/app', {
 *     method: 'POST',
 *     headers: { 'X-Secrets-Token': rootToken },
 *     body: '{"data":{"password":"hunter2"}}',
 *   }),
 * )
 * answer.status // 200
 * await service.close()
 * ```
 */
export async function devSecrets(options: DevOptions = {}): Promise<DevSecrets> {
  checkOptions('devSecrets', options, { rootToken: true, unsealKeys: true, keep: true, ...secretsOptions })
  const { rootToken, unsealKeys, keep, ...rest } = options
  const service = createSecrets(rest)
  const status = await service.seal.status()
  if (!status.initialized) {
    if (unsealKeys !== undefined)
      throw new Error(
        'unsealKeys were passed, but this store is not initialised: pass the store they belong to, or leave them out to start over',
      )
    const made = await service.seal.initialize({ shares: 1, threshold: 1, rootToken, withIdp: true, keep })
    if (!made.ok) throw new Error(`cannot initialise the secrets service: ${made.refusal.message}`)
    await unsealWith(service, made.value.unsealKeys)
    return { service, ...made.value }
  }
  if (unsealKeys === undefined || rootToken === undefined)
    throw new Error(
      'this store is already initialised: pass the unseal keys and the root token it was created with',
    )
  await unsealWith(service, unsealKeys)
  const known = await service.tokens.lookup({ token: rootToken })
  if (known.ok && known.value !== undefined) return { service, rootToken, unsealKeys }
  await service.close()
  throw new Error('the root token is not one of this store, or was revoked')
}

async function unsealWith(service: Secrets, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const taken = await service.seal.unseal(key)
    if (!taken.ok) throw new Error(`cannot unseal the secrets service: ${taken.refusal.message}`)
    if (taken.value.opened) return
  }
  throw new Error('cannot unseal the secrets service: more key shares are needed')
}
