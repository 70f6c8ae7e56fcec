import { withBodyLimit } from '../../http/body-limit.ts'
import { type FetchHandler, type Listening, serve } from '../../http/node/index.ts'
import { isStoreError } from '../../store/index.ts'
import { UserError } from '../user-error.ts'
import { openData } from './data.ts'
import { parseServeFlags, type ServiceName, serveHelp } from './flags.ts'
import { fill } from './load.ts'
import { type Ready, readyBanner, readyLine } from './ready.ts'
import { openCatalog } from './services/catalog.ts'
import { openGateway } from './services/gateway.ts'
import type { Setup } from './services/opened-service.ts'
import { openRegistry } from './services/registry.ts'
import { openScheduler } from './services/scheduler.ts'
import { openSecrets } from './services/secrets.ts'
import { type ListenerSettings, type Settings, settle } from './settings.ts'
import { shutDown, stopSignal } from './shutdown.ts'

/** `plinth serve`: the five services in one process, until a signal. */
export async function serveCommand(args: readonly string[]): Promise<void> {
  const flags = parseServeFlags(args)
  if (flags.help) return void process.stdout.write(serveHelp())
  const settings = await settle(flags)
  const signal = stopSignal()
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const data = await openData(settings, log)
  const server = await startServer({ settings, data, log }).catch(async (error: unknown) => {
    await data.close().catch(() => {})
    throw isStoreError(error) ? new UserError(error.message) : error
  })
  if (signal.came()) await server.stop()
  else {
    process.stdout.write(settings.json ? readyLine(server.ready) : readyBanner(server.ready, server.notes))
    await signal.coming
    await shutDown({ graceMs: settings.graceMs, ...server })
  }
  process.exit(0)
}

/** A server that is up, and how it goes down. */
interface Running {
  readonly ready: Ready
  /** What only people need to know. */
  readonly notes: readonly string[]
  readonly reportUnhealthy: () => void
  readonly stop: () => Promise<void>
}

async function startServer(setup: Setup): Promise<Running> {
  const { settings, data } = setup
  const services = {
    secrets: await openSecrets(setup),
    scheduler: await openScheduler(setup),
    gateway: await openGateway(setup),
    catalog: await openCatalog(setup),
    registry: await openRegistry(setup),
  }
  await fill(settings, services, setup.log)
  const { tokens, notes } = await services.catalog.makeUsers()
  const listening = await listenAll(settings, (listener) =>
    listener.service === undefined
      ? notHere
      : limited(services[listener.service].handler(listener), listener),
  )
  const url = (name: ServiceName) => listening.find(({ service }) => service === name)?.at.url ?? ''
  const { secrets, gateway } = services
  return {
    ready: {
      ready: true,
      secrets: { url: url('secrets'), rootToken: secrets.rootToken, unsealKeys: secrets.unsealKeys },
      scheduler: { url: url('scheduler'), managementToken: settings.managementToken ?? null },
      gateway: { url: url('gateway') },
      catalog: { url: url('catalog'), tokens },
      registry: {
        url: url('registry'),
        modulesUrl: `${url('registry')}/v1/modules/`,
        modulesV2Url: `${url('registry')}/v2/modules/`,
      },
    },
    notes,
    reportUnhealthy: () => void gateway.service.beginShutdown(settings.graceMs),
    stop: async () => {
      for (const service of Object.values(services)) service.drain()
      const isHealth = ({ service }: { readonly service: ServiceName | undefined }) => service === 'gateway'
      await closeListeners(listening.filter((each) => !isHealth(each)))
      for (const service of [secrets, services.scheduler, services.catalog, services.registry])
        await service.close()
      // Health goes last, so that probes see 503 until the end.
      await gateway.close()
      await closeListeners(listening.filter(isHealth))
      await data.close()
    },
  }
}

interface Bound {
  readonly service: ServiceName | undefined
  readonly at: Listening
}

async function listenAll(
  settings: Settings,
  handlerOf: (listener: ListenerSettings) => FetchHandler,
): Promise<readonly Bound[]> {
  const bound: Bound[] = []
  for (const listener of settings.listeners) {
    const { host, port, tls, service } = listener
    try {
      const at = await serve({ fetch: handlerOf(listener), host, port, ...(tls ? { tls } : {}) })
      bound.push({ service, at })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new UserError(`${service ?? listener.purpose}: ${reason}`)
    }
  }
  return bound
}

const closeListeners = (bound: readonly Bound[]): Promise<unknown> =>
  Promise.all(bound.map(({ at }) => at.close({ drainMs: 10_000 })))

/** The handler with its listener's own limit on bodies, where it has one. */
const limited = (fetch: FetchHandler, { maxRequestBytes }: ListenerSettings): FetchHandler =>
  maxRequestBytes === undefined ? fetch : withBodyLimit(fetch, maxRequestBytes)

/** A controller's own API is not part of this server; its listener says so. */
const notHere: FetchHandler = () =>
  Response.json(
    { kind: 'NotFound', message: 'this server has no controller API; health is on the ops listener' },
    { status: 404 },
  )
