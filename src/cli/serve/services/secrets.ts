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
  /** As it was when the service opened. */
  readonly seal: SealWord
}

/** The state of a seal, for people. */
export type SealWord = 'uninitialised' | 'sealed' | 'unsealed'

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
  const opened = (service: Secrets, { rootToken, unsealKeys, seal = 'unsealed' }: Keys): OpenedSecrets => ({
    service,
    rootToken,
    unsealKeys,
    seal,
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
    return opened(made, { rootToken: null, unsealKeys: [], seal: await sealOf(made) })
  }
  if (data.durable && data.devKeys === undefined)
    throw new UserError(
      'dev mode on PostgreSQL needs --dev-keys FILE to keep the unseal key and root token in, or --sealed',
    )
  const dev = await unseal({ store, devKeys: data.devKeys, rootToken: settings.rootToken, options })
  await declare(dev.service)
  return opened(dev.service, dev)
}

type Keys = Pick<OpenedSecrets, 'rootToken' | 'unsealKeys'> & Partial<Pick<OpenedSecrets, 'seal'>>

/** What the first start of a service in dev mode, and each later one, needs. */
interface DevStart {
  readonly store: Store | undefined
  /** The file with the keys of dev mode; none if the data is in memory. */
  readonly devKeys: string | undefined
  readonly rootToken: string | undefined
  readonly options: Parameters<typeof devSecrets>[0]
}

/** Unseals the data with the keys in their file; initialises it if there is none. */
async function unseal(start: DevStart): Promise<DevSecrets> {
  const { store, devKeys, rootToken, options } = start
  // A start that was interrupted after writing the realm has left its keys under a temporary name. These names are
  // read first: a start that is still running may rename its own.
  const pending = devKeys === undefined ? [] : await pendingDevKeys(devKeys)
  const kept = devKeys === undefined ? undefined : await readDevKeys(devKeys)
  if (store === undefined || (await store.head()) === 0) {
    // New keys would not match the file, and old data that is restored would not match new keys.
    if (kept)
      throw new UserError(
        `${devKeys} holds the keys of a secrets service, but this data has none: restore the data, or remove the file to start over`,
      )
    return initialise(start)
  }
  const candidates: readonly (Partial<KeptKeys> & Pick<KeptKeys, 'keys'>)[] = kept
    ? [{ keys: kept }]
    : pending
  if (candidates.length === 0)
    throw new UserError(
      `this data has a secrets service already, but its keys are not in ${devKeys}: restore the file, or start with --sealed and unseal over HTTP`,
    )
  let refused: unknown
  for (const each of candidates) {
    if (rootToken !== undefined && rootToken !== each.keys.rootToken)
      throw new UserError(
        `--root-token differs from the root token of this data (see ${devKeys}); leave the flag out, or use other data`,
      )
    try {
      return await settled(await devSecrets({ ...options, ...each.keys }), devKeys, each)
    } catch (error) {
      if (isStoreError(error) || error instanceof UserError) throw asUserError(error)
      refused = error
    }
  }
  throw new UserError(`the keys in ${devKeys} do not unseal this data: ${asUserError(refused).message}`)
}

/** Initialises the data, and puts its keys into their file. */
async function initialise(start: DevStart): Promise<DevSecrets> {
  const { store, devKeys, rootToken, options } = start
  let written: KeptKeys | undefined
  const keep = async ({ rootToken, unsealKeys }: Initialized) => {
    if (devKeys === undefined) return
    written = await keepDevKeys(devKeys, { rootToken, unsealKeys: [...unsealKeys] })
  }
  let dev: DevSecrets
  try {
    dev = await devSecrets({ ...options, rootToken, keep })
  } catch (error) {
    if (store === undefined || (await store.head()) === 0) throw asUserError(error)
    // Another server was first: its keys are those of this data.
    await written?.forget()
    return unseal(start).catch((unfit: unknown) => {
      throw new UserError(
        `another server, started at the same moment, was the first to initialise this data; start this one again with its keys (${asUserError(unfit).message})`,
      )
    })
  }
  return settled(dev, devKeys, written)
}

/** Gives the keys with which a service was unsealed their final name. */
async function settled(
  dev: DevSecrets,
  devKeys: string | undefined,
  kept: Partial<KeptKeys> = {},
): Promise<DevSecrets> {
  await kept.settle?.()
  if (devKeys !== undefined) await forgetPendingDevKeys(devKeys)
  return dev
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

/** A service whose seal cannot be read now is sealed: it tells its requests why. */
const sealOf = (service: Secrets): Promise<SealWord> =>
  service.seal.status().then(
    ({ initialized, sealed }) => (initialized ? (sealed ? 'sealed' : 'unsealed') : 'uninitialised'),
    () => 'sealed',
  )

const asUserError = (error: unknown): UserError =>
  new UserError(error instanceof Error ? error.message : String(error))

const rulesOf = (to: ListenerSettings): ListenerRules => ({
  customResponseHeaders: to.customResponseHeaders,
  crossOrigin: to.cors,
  requireRequestHeader: to.requireRequestHeader,
  maxRequestBytes: to.maxRequestBytes,
})
