import { withBodyLimit } from '../../http/body-limit.ts'
import { withOrigin } from '../../http/fixed-origin.ts'
import { withForwardedFor } from '../../http/forwarded-for.ts'
import { type FetchHandler, type Listening, serve } from '../../http/node/index.ts'
import { isStoreError } from '../../store/index.ts'
import { insistRestored } from '../backup/claim.ts'
import type { FlagValues } from '../command/declaration.ts'
import { UserError } from '../user-error.ts'
import { openAccessLog } from './access-log.ts'
import { isBucket } from './bucket.ts'
import { checkServeFlags } from './check-flags.ts'
import { checkListeners } from './check-listeners.ts'
import { checkDataPlace, type Data, openData } from './data.ts'
import { type ServiceName, type serveFlags, serviceNames } from './flags.ts'
import { type Bound, checkAddresses, closeListeners, type HandlerOf, listenAll } from './listeners.ts'
import { type Fillable, fill, type LoadFile, readLoadFile } from './load.ts'
import { standardErrorLog } from './log.ts'
import type { Metrics } from './metrics/metrics.ts'
import { type Readiness, withOpsPages } from './ops-pages.ts'
import { sqlitePrefix } from './places.ts'
import { type ReadyParts, readyBanner, readyLine } from './ready.ts'
import { reload, reloadSignal } from './reload.ts'
import type { openGateway } from './services/gateway.ts'
import type { OpenedService, Setup } from './services/opened-service.ts'
import { type ListenerSettings, nearbyProxies, type Settings, settle } from './settings.ts'
import { shutDown, stopSignal } from './shutdown.ts'
import { starting } from './starting.ts'
import { watchDirectory } from './uploads-directory.ts'
import { writeProbe } from './writable.ts'

/** `plinth serve`: the five services in one process, until a signal. */
export async function serveCommand(given: FlagValues<typeof serveFlags>): Promise<void> {
  const flags = checkServeFlags(given)
  const settings = await settle(flags)
  checkListeners(settings)
  const signal = stopSignal()
  const changed = settings.production || settings.config !== undefined ? reloadSignal() : undefined
  const records = await readLoadFile(settings)
  const idpProvider =
    settings.idpScript === undefined
      ? undefined
      : await (await import('./idp-script.ts')).readProvider(settings.idpScript)
  await checkDataPlace(settings.data)
  await checkAddresses(settings)
  const log = standardErrorLog(settings.production ? 'json' : 'text')
  for (const warning of settings.warnings) log.warn(warning)
  const opened = await openData(settings, log, 'server')
  if (settings.data?.startsWith(sqlitePrefix)) {
    const { olderEngine } = await import('../../store/sqlite/engine.ts')
    const old = olderEngine()
    if (old !== undefined) log.warn(old)
  }
  // Metrics delay a start by some milliseconds, and are served only on the listener of the gateway.
  const metrics = settings.only.has('gateway')
    ? (await import('./metrics/metrics.ts')).createMetrics()
    : undefined
  const data = metrics === undefined ? opened : countedData(opened, metrics)
  const accessLog =
    settings.accessLog === undefined ? undefined : await openAccessLog(settings.accessLog, log)
  const observer: Setup['observer'] = (service) =>
    metrics || accessLog
      ? (record) => {
          metrics?.request(service, record)
          accessLog?.write(service, record)
        }
      : undefined
  const server = await startServer({ settings, idpProvider, data, log, observer }, records, metrics).catch(
    async (error: unknown) => {
      await opened.close().catch(() => {})
      await accessLog?.close().catch(() => {})
      throw isStoreError(error) ? new UserError(error.message) : error
    },
  )
  if (signal.came()) await server.stop()
  else {
    const { ready, notes } = server
    const { json, production } = settings
    process.stdout.write(json ? readyLine(ready) : readyBanner(ready, { notes, production }))
    if (production) log.info('ready')
    changed?.follow(() => void reload(() => settle(flags), server.follow, log))
    await signal.coming
    if (production) log.info('stopping')
    await shutDown({ ...server, graceMs: server.graceMs() })
    await accessLog?.close().catch(() => {})
    if (production) log.info('stopped')
  }
  process.exit(0)
}

/** A running server, and its shutdown. */
interface Running {
  readonly ready: ReadyParts
  /** Messages for people only. */
  readonly notes: readonly string[]
  readonly reportUnhealthy: () => void
  readonly graceMs: () => number
  /** Applies a changed configuration file; returns what needs a restart. */
  readonly follow: (next: Settings) => readonly string[]
  readonly stop: () => Promise<void>
}

type Services = Fillable & { readonly gateway?: Awaited<ReturnType<typeof openGateway>> }

/** The services that are open so far: a start that fails closes them. */
type OpenServices = { -readonly [name in keyof Services]: Services[name] }

/** The modules of the services in `--only`: an omitted service does not slow down a start. */
const modules = {
  secrets: async () => (await import('./services/secrets.ts')).openSecrets,
  scheduler: async () => (await import('./services/scheduler.ts')).openScheduler,
  gateway: async () => (await import('./services/gateway.ts')).openGateway,
  catalog: async () => (await import('./services/catalog.ts')).openCatalog,
  registry: async () => (await import('./services/registry.ts')).openRegistry,
}

/** Opens the services of `--only`, one after another, and puts each into `opened`. */
async function openServices(setup: Setup, opened: OpenServices): Promise<void> {
  const { only } = setup.settings
  if (only.has('secrets')) opened.secrets = await (await modules.secrets())(setup)
  if (only.has('scheduler')) opened.scheduler = await (await modules.scheduler())(setup)
  if (only.has('gateway')) opened.gateway = await (await modules.gateway())(setup)
  const signsIn = only.has('registry') && setup.settings.oidc !== undefined
  // The catalog knows the people who sign in at the registry, which knows the users of the catalog.
  const signedIn = signsIn
    ? async (token: string) => opened.registry?.service.findPublisher(token)
    : undefined
  if (only.has('catalog')) opened.catalog = await (await modules.catalog())({ ...setup, signedIn })
  if (only.has('registry'))
    opened.registry = await (await modules.registry())({ ...setup, accounts: opened.catalog?.service })
}

/** Closes the services that have records. */
async function closeServices({ secrets, scheduler, catalog, registry }: Services): Promise<void> {
  for (const service of [secrets, scheduler, catalog, registry]) await service?.close()
}

/** Listens while it starts, so that a probe sees how far it is. */
async function startServer(
  given: Omit<Setup, 'consoleUrl'>,
  records: LoadFile | undefined,
  metrics: Metrics | undefined,
): Promise<Running> {
  const progress = starting()
  const listening = await listenAll(given.settings, progress.fetch)
  const services: OpenServices = {}
  try {
    const data = progress.counted(given.data)
    const running = await openServer({ ...given, data }, { services, records, metrics, listening })
    progress.end()
    return running
  } catch (error) {
    // Before the stores: their background work would report that those are closed.
    await closeServices(services).catch(() => {})
    await closeListeners(listening, 0)
    throw error
  }
}

async function openServer(
  given: Omit<Setup, 'consoleUrl'>,
  {
    services,
    records,
    metrics,
    listening,
  }: {
    readonly services: OpenServices
    readonly records: LoadFile | undefined
    readonly metrics: Metrics | undefined
    readonly listening: readonly Bound[]
  },
): Promise<Running> {
  let pages: Listening | undefined
  const setup: Setup = { ...given, consoleUrl: () => given.settings.consoleUrl ?? pages?.url }
  const { settings, data } = setup
  // From here on others see that this data is in use.
  await data.isShared()
  await insistRestored(data)
  await openServices(setup, services)
  await fill(settings, services, records)
  const { scheduler, gateway, catalog, registry } = services
  await catalog?.sweep()
  await registry?.sweep()
  let graceMs = settings.graceMs
  let stopping = false
  if (metrics) countServices(metrics, services)
  const readiness = await readinessOf(data, () => stopping)
  const handlerOf: HandlerOf = (listener, url) => {
    const service = listener.service === undefined ? undefined : services[listener.service]
    if (service === undefined) return notHere
    const handler = limited(service.handler(listener), listener)
    const served = metrics && listener.service ? metrics.transfers(listener.service, handler) : handler
    const whole =
      listener.service === 'gateway' && metrics ? withOpsPages(served, { metrics, readiness }) : served
    const known = listener.forwardedFor ? withForwardedFor(whole, listener.forwardedFor) : whole
    // Links must not be built from the Host header of clients.
    return settings.production ? withOrigin(known, url) : known
  }
  for (const bound of listening) bound.open(handlerOf)
  const url = (name: ServiceName) => listening.find(({ service }) => service === name)?.at.url ?? ''
  pages = settings.only.has('console')
    ? await listenForConsole(setup, services, addressesFor(settings, listening))
    : undefined
  if (catalog || registry) await data.recordBlobs()
  // Its background work begins here, not with the first request; a start that is refused has begun none.
  await scheduler?.service.open()
  // Last: a token that is shown once must not be lost when the start fails, because its user is created only once.
  const users = await catalog?.makeUsers()
  const ready = readyParts(services, url, { settings, tokens: users?.tokens ?? {}, consoleUrl: pages?.url })
  const hints = settings.demo ? (await import('./demo/hints.ts')).demoHints(ready) : []
  return {
    ready,
    notes: [...(users?.notes ?? []), ...hints],
    reportUnhealthy: () => {
      stopping = true
      void gateway?.service.beginShutdown(graceMs)
    },
    graceMs: () => graceMs,
    follow: (next) => {
      graceMs = next.graceMs
      return listening.flatMap((bound, index) => {
        const listener = next.listeners[index]
        return (listener === undefined ? undefined : bound.reload(listener)) ?? []
      })
    },
    stop: () => stopServices(services, { listening, pages, data }),
  }
}

/** Whether the data can be read and written, and the server is not stopping. */
async function readinessOf(data: Data, isStopping: () => boolean): Promise<Readiness> {
  const checkUploads = isBucket(data.blobsAt) ? async () => {} : await watchDirectory(data.blobsAt)
  const unwritableParts = writeProbe({ own: data.own, blobs: data.blobs, checkUploads })
  return async () => {
    const [unreachable, unwritable] = await Promise.all([data.unreachable(), unwritableParts()])
    const ready = !isStopping() && unreachable.length === 0 && unwritable.length === 0
    const state = { ready, unreachable, unwritable: unwritable.map(({ what }) => what) }
    return unwritable.length === 0
      ? state
      : { ...state, reasons: unwritable.map(({ what, why }) => `${what}: ${why}`) }
  }
}

async function stopServices(
  services: Services,
  {
    listening,
    pages,
    data,
  }: { readonly listening: readonly Bound[]; readonly pages: Listening | undefined; readonly data: Data },
): Promise<void> {
  const { secrets, scheduler, gateway, catalog, registry } = services
  for (const service of [secrets, scheduler, gateway, catalog, registry]) service?.drain()
  await pages?.close({ drainMs: 10_000 })
  const isHealth = ({ service }: { readonly service: ServiceName | undefined }) => service === 'gateway'
  await closeListeners(listening.filter((each) => !isHealth(each)))
  await closeServices(services)
  // Health closes last, so that probes see 503 until the end.
  await gateway?.close()
  await closeListeners(listening.filter(isHealth))
  await data.close()
}

/** What the ready line says. */
function readyParts(
  { secrets, scheduler, gateway, catalog, registry }: Services,
  url: (name: ServiceName) => string,
  {
    settings,
    tokens,
    consoleUrl,
  }: {
    readonly settings: Settings
    readonly tokens: Readonly<Record<string, string>>
    readonly consoleUrl: string | undefined
  },
): ReadyParts {
  return {
    ready: true,
    ...(secrets && {
      secrets: {
        url: url('secrets'),
        rootToken: secrets.rootToken,
        unsealKeys: secrets.unsealKeys,
        seal: secrets.seal,
      },
    }),
    ...(scheduler && {
      scheduler: { url: url('scheduler'), managementToken: settings.managementToken ?? null },
    }),
    ...(gateway && { gateway: { url: url('gateway') } }),
    ...(catalog && { catalog: { url: url('catalog'), tokens } }),
    ...(registry && {
      registry: {
        url: url('registry'),
        modulesUrl: `${url('registry')}/v1/modules/`,
        modulesV2Url: `${url('registry')}/v2/modules/`,
        token: registry.token,
      },
    }),
    ...(consoleUrl !== undefined && { console: { url: consoleUrl } }),
  }
}

/** Where clients reach the services. */
const addressesFor = (
  { catalogUrl, registryUrl }: Settings,
  listening: readonly Bound[],
): Readonly<Partial<Record<ServiceName, string>>> => ({
  ...Object.fromEntries(listening.flatMap(({ service, at }) => (service ? [[service, at.url]] : []))),
  ...(catalogUrl === undefined ? {} : { catalog: catalogUrl }),
  ...(registryUrl === undefined ? {} : { registry: registryUrl }),
})

const usualConsolePort = 4600

/** The console calls the services in this process, as their first listeners serve them. */
async function listenForConsole(
  { settings }: Setup,
  services: Readonly<Partial<Record<ServiceName, OpenedService>>>,
  addresses: Readonly<Partial<Record<ServiceName, string>>>,
): Promise<Listening> {
  const handlers = serviceNames.flatMap((name) => {
    const listener = settings.listeners.find(({ service }) => service === name)
    const service = services[name]
    return listener === undefined || service === undefined
      ? []
      : [[name, limited(service.handler(listener), listener)] as const]
  })
  const { createConsole } = await import('../../console/index.ts')
  const pages = createConsole({ ...Object.fromEntries(handlers), addresses })
  const { behindProxy, consoleUrl } = settings
  const known = behindProxy ? withForwardedFor(pages.fetch, nearbyProxies) : pages.fetch
  const fetch = consoleUrl === undefined ? known : withOrigin(known, () => consoleUrl)
  const { host, port } = settings.console
  try {
    return await serve({ fetch, host, port: port ?? usualConsolePort })
  } catch (error) {
    // Several servers on one machine have their own ports for the services, and need not know of the console.
    if (port === undefined && error instanceof Error && /in use/.test(error.message))
      return await serve({ fetch, host, port: 0 })
    throw new UserError(`console: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Connects the metrics with the services. */
function countServices(metrics: Metrics, services: Services): void {
  for (const name of serviceNames) {
    const opened = services[name]
    if (opened) metrics.holds(opened.service.fetch)
  }
  const { scheduler } = services
  if (scheduler) metrics.polls('scheduler', scheduler.service.waiting)
}

/** The same data, with measured stores. */
const countedData = (data: Data, metrics: Metrics): Data => ({
  ...data,
  store: async (realm) => metrics.store(realm, await data.store(realm)),
})

/** The handler with the body limit of its listener, if it has one. */
const limited = (fetch: FetchHandler, { maxRequestBytes }: ListenerSettings): FetchHandler =>
  maxRequestBytes === undefined ? fetch : withBodyLimit(fetch, maxRequestBytes)

/** The listener of a controller's own API answers that this server has none. */
const notHere: FetchHandler = () =>
  Response.json(
    { kind: 'NotFound', message: 'this server has no controller API; health is on the ops listener' },
    { status: 404 },
  )
