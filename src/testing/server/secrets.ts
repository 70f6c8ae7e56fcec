import { checkOptions } from '../../kernel/check-options.ts'
import { unwrap } from '../../kernel/index.ts'
import type { SecretsOptions } from '../../secrets/service/core/options.ts'
import type { Secrets } from '../../secrets/service/create-secrets.ts'
import { type Kind, type Started, type StartOptions, start } from './start.ts'

/** Options of {@link startSecrets} besides those of the service. */
export interface StartSecretsOptions
  extends StartOptions<Secrets>,
    Omit<SecretsOptions, 'store' | 'env' | 'timers'> {
  /** The text of the root token; random by default. */
  readonly rootToken?: string | undefined
}

/** The result of {@link startSecrets}. */
export interface StartedSecrets extends Started<Secrets> {
  /** Seals the service: it answers 503 until it is unsealed. */
  readonly seal: () => Promise<void>
  /** Unseals the service with its own keys. */
  readonly unseal: () => Promise<void>
}

/**
 * Starts a secrets service for tests on a port of its own: initialised, unsealed, with versioned secrets at `secret/`.
 * Clients of Vault take its address and token from `env`.
 *
 * @example
 * ```ts
 * import { startSecrets } from 'plinth/testing'
 *
 * const server = await startSecrets({ prepare: async ({ kv }) => void (await kv().write('db', { password: 'hunter2' })) })
 * const read = () =>
 *   fetch(`${server.env['VAULT_ADDR']}/v1/secret/data/db`, { headers: { 'X-Vault-Token': server.token } })
 * const status = async () => (await read()).status
 * await status() // 200
 * await server.seal()
 * await status() // 503
 * await server.unseal()
 * await server.expire()
 * await status() // 403
 * await server.reset()
 * await status() // 200
 * await server.close()
 * ```
 */
export async function startSecrets(options: StartSecretsOptions = {}): Promise<StartedSecrets> {
  const { secretsOptions } = await import('../../secrets/service/core/options.ts')
  const { createSecrets } = await import('../../secrets/service/create-secrets.ts')
  const { devSecrets } = await import('../../secrets/service/dev-secrets.ts')
  const { port, clock, prepare, rootToken, ...service } = options
  checkOptions('startSecrets', options, {
    port: true,
    clock: true,
    prepare: true,
    rootToken: true,
    ...secretsOptions,
  })
  const unsealed = async (each: Secrets, keys: readonly string[]): Promise<void> => {
    for (const key of keys) unwrap(await each.seal.unseal(key))
  }
  const kind: Kind<
    Secrets,
    { readonly token: string; readonly keys: readonly string[] },
    Pick<StartedSecrets, 'seal' | 'unseal'>
  > = {
    open: async ({ store, credentials }, { env, timers }) => {
      const settings = { ...service, store, env, timers }
      if (credentials === undefined) {
        const made = await devSecrets({ ...settings, rootToken })
        return { service: made.service, credentials: { token: made.rootToken, keys: made.unsealKeys } }
      }
      const again = createSecrets(settings)
      await unsealed(again, credentials.keys)
      return { service: again, credentials }
    },
    env: (url, token) => ({
      VAULT_ADDR: url,
      VAULT_TOKEN: token,
      BAO_ADDR: url,
      BAO_TOKEN: token,
      SECRETS_ADDR: url,
      SECRETS_TOKEN: token,
    }),
    expire: async (each, { token }) => unwrap(await each.tokens.revoke({ token })),
    more: (current) => ({
      seal: () => current().service.seal.seal(),
      unseal: () => unsealed(current().service, current().credentials.keys),
    }),
  }
  return start(kind, { port, clock, prepare })
}
