import {
  createSecrets,
  type DevSecrets,
  devSecrets,
  type Initialized,
  type ListenerRules,
  listener,
  listenerRulesProblem,
  type Secrets,
  type SecretsEvent,
} from '../../../secrets/index.ts'
import { isStoreError, type Store } from '../../../store/index.ts'
import { UserError } from '../../user-error.ts'
import { declareSecrets } from '../declared-secrets.ts'
import { forgetPendingDevKeys, type KeptKeys, keepDevKeys, pendingDevKeys, readDevKeys } from '../dev-keys.ts'
import type { ListenerSettings, Settings } from '../settings.ts'
import { openAuditSinks } from './audit-sinks.ts'
import { type OpenedService, reporter, type Setup } from './opened-service.ts'

export interface OpenedSecrets extends OpenedService {
  readonly service: Secrets
  /** Null while uninitialised. */
  readonly rootToken: string | null
  readonly unsealKeys: readonly string[]
}

export async function openSecrets(setup: Setup): Promise<OpenedSecrets> {
  const { settings, idpProvider, data, log, observer, consoleUrl } = setup
  checkListenerRules(settings)
  const audit = await openAuditSinks(settings.audit, log)
  // In memory the service has a private realm.
  const store = data.durable ? await data.store('secrets') : undefined
  let made: Secrets | undefined
  const declare = (service: Secrets) =>
    declareSecrets(service, settings.secrets, { where: settings.config ?? '', warn: log.warn })
  const options = {
    store,
    consoleUrl,
    audit: audit.devices,
    openAuditSink: audit.open,
    words: settings.words.Secrets,
    idpWords: settings.words.idp,
    idpProvider,
    version: settings.secretsVersion,
    staticSeal: settings.staticSeal,
    onError: reporter('secrets', log),
    onRequest: observer('secrets'),
    onEvent: ({ type }: SecretsEvent) => {
      // In a service that starts sealed, declarations are written as soon as it is unsealed.
      if (type === 'seal.unsealed' && made !== undefined)
        void declare(made).catch((error: unknown) =>
          log.error(error instanceof Error ? error.message : String(error)),
        )
      // Only the caller gets the new shares: they cannot be stored here.
      if (type === 'seal.rekeyed' && data.devKeys !== undefined)
        log.warn(
          `secrets: the key shares were changed, and ${data.devKeys} still names the old ones: put the new ones there (unsealKeys) before the next start`,
        )
    },
  }
  const opened = (
    service: Secrets,
    rootToken: string | null,
    unsealKeys: readonly string[],
  ): OpenedSecrets => ({
    service,
    rootToken,
    unsealKeys,
    handler: (to) => listener(service.fetch, rulesOf(to), settings.words.Secrets),
    drain: () => {},
    close: async () => {
      await service.close()
      await audit.close()
    },
  })
  if (settings.sealed) {
    made = createSecrets(options)
    if (settings.staticSeal !== undefined) await unsealStatic(made, setup)
    return opened(made, null, [])
  }

  if (data.durable && data.devKeys === undefined)
    throw new UserError(
      'dev mode on PostgreSQL needs --dev-keys FILE to keep the unseal key and root token in, or --sealed',
    )
  const settled = async ({ service, rootToken, unsealKeys }: DevSecrets, kept: Partial<KeptKeys> = {}) => {
    await kept.settle?.()
    if (data.devKeys !== undefined) await forgetPendingDevKeys(data.devKeys)
    await declare(service)
    return opened(service, rootToken, unsealKeys)
  }

  const initialise = async (): Promise<OpenedSecrets> => {
    let written: KeptKeys | undefined
    const keep = async ({ rootToken, unsealKeys }: Initialized) => {
      if (data.devKeys === undefined) return
      written = await keepDevKeys(data.devKeys, { rootToken, unsealKeys: [...unsealKeys] })
    }
    let dev: DevSecrets
    try {
      dev = await devSecrets({ ...options, rootToken: settings.rootToken, keep })
    } catch (error) {
      if (store === undefined || (await store.head()) === 0) throw asUserError(error)
      // Another server was first: its keys are those of this data.
      await written?.forget()
      return unseal(store).catch((unfit: unknown) => {
        throw new UserError(
          `another server, started at the same moment, was the first to initialise this data; start this one again with its keys (${asUserError(unfit).message})`,
        )
      })
    }
    return settled(dev, written)
  }

  const unseal = async (store: Store | undefined): Promise<OpenedSecrets> => {
    // A start that was interrupted after writing the realm has left its keys under a temporary name. These names are
    // read first: a start that is still running may rename its own.
    const pending = data.devKeys === undefined ? [] : await pendingDevKeys(data.devKeys)
    const kept = data.devKeys === undefined ? undefined : await readDevKeys(data.devKeys)
    if (store === undefined || (await store.head()) === 0) {
      // New keys would not match the file, and old data that is restored would not match new keys.
      if (kept)
        throw new UserError(
          `${data.devKeys} holds the keys of a secrets service, but this data has none: restore the data, or remove the file to start over`,
        )
      return initialise()
    }
    const candidates: readonly (Partial<KeptKeys> & Pick<KeptKeys, 'keys'>)[] = kept
      ? [{ keys: kept }]
      : pending
    if (candidates.length === 0)
      throw new UserError(
        `this data has a secrets service already, but its keys are not in ${data.devKeys}: restore the file, or start with --sealed and unseal over HTTP`,
      )
    let refused: unknown
    for (const each of candidates) {
      if (settings.rootToken !== undefined && settings.rootToken !== each.keys.rootToken)
        throw new UserError(
          `--root-token differs from the root token of this data (see ${data.devKeys}); leave the flag out, or use other data`,
        )
      try {
        return await settled(await devSecrets({ ...options, ...each.keys }), each)
      } catch (error) {
        if (isStoreError(error) || error instanceof UserError) throw asUserError(error)
        refused = error
      }
    }
    throw new UserError(
      `the keys in ${data.devKeys} do not unseal this data: ${asUserError(refused).message}`,
    )
  }
  return unseal(store)
}

function checkListenerRules({ config, listeners, words }: Settings): void {
  for (const each of listeners.filter((to) => to.service === 'secrets')) {
    const refused = listenerRulesProblem(rulesOf(each), words.Secrets)
    if (refused) throw new UserError(`${config}: custom_response_headers: ${refused.refusal.message}`)
  }
}

async function unsealStatic(service: Secrets, { settings, log }: Setup): Promise<void> {
  const unsealed = await service.seal.unsealStatic()
  if (!unsealed.ok && unsealed.refusal.code === 'static_key_wrong')
    throw new UserError(`${settings.config}: seal "static": ${unsealed.refusal.message}`)
  if (unsealed.ok && !unsealed.value)
    log.warn('seal "static": this data was never sealed with a static key: unseal it with key shares once')
}

const asUserError = (error: unknown): UserError =>
  new UserError(error instanceof Error ? error.message : String(error))

const rulesOf = (to: ListenerSettings): ListenerRules => ({
  customResponseHeaders: to.customResponseHeaders,
  crossOrigin: to.cors,
  requireRequestHeader: to.requireRequestHeader,
  maxRequestBytes: to.maxRequestBytes,
})
