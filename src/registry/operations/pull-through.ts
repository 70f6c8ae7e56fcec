import { type Answer, refuse } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import { foldName, formatAddress, isAddressPart, type ModuleAddress } from '../modules/names.ts'
import { bytesUnlessEnded, PullEnded, unlessEnded } from '../pull-queue.ts'
import type { ListedVersion } from '../versions/model.ts'
import { compareVersions, parseVersion } from '../versions/number.ts'
import { latestVersion } from '../versions/order.ts'
import { isPublishedIn, publishTaken } from './archives.ts'
import type { RegistryParts } from './parts.ts'
import type { Reader } from './reader.ts'
import { maySee, readOperations } from './reads.ts'

/** How long a list of versions is used, and how long after a failure the upstream is left alone. */
const validMs = 60_000

const failed = refuse(
  'upstream_failed',
  'the registry from which this module would be copied does not answer as it should: try again later',
)

const limited = refuse(
  'pull_limited',
  'too many versions were copied for callers without a token: try again in an hour, or ask with a token',
)

/**
 * The versions of a module at the upstream; `undefined` if it is not asked: it is never asked for a namespace in which
 * something was published here, so that an upstream cannot add to it.
 */
async function versionsUpstream(
  { pulling, present, env, report }: RegistryParts,
  address: ModuleAddress,
  reader: Reader,
): Promise<Answer<readonly string[] | undefined, 'upstream_failed'>> {
  const nothing = { ok: true, value: undefined } as const
  if (!pulling || !maySee(reader, address.namespace)) return nothing
  if (!(['namespace', 'name', 'provider'] as const).every((part) => isAddressPart(part, address[part])))
    return nothing
  const { now } = await present()
  if (isPublishedIn(now, address.namespace)) return nothing
  const key = foldName(formatAddress(address))
  const at = env().now
  let known = pulling.known.get(key)
  if (known === undefined || known.until <= at) {
    known = { until: at + validMs, versions: pulling.upstream.versions(address, pulling.via) }
    known.versions.catch(report)
    pulling.known.set(key, known)
  }
  return known.versions.then(
    (value) => ({ ok: true, value }),
    () => failed,
  )
}

const runningKey = (address: ModuleAddress, version: string) =>
  `${foldName(formatAddress(address))}/${version}`

/** Copies a version from the upstream, once for all who ask for it meanwhile. */
async function pull(parts: RegistryParts, address: ModuleAddress, version: string): Promise<unknown> {
  const { pulling, report } = parts
  if (!pulling) return undefined
  const { upstream, running } = pulling
  const key = runningKey(address, version)
  const failedBy = (why: string) =>
    report(new Error(`${formatAddress(address)} ${version} of ${upstream.name}: ${why}`))
  const work = async (signal: AbortSignal) => {
    const input = { version, owner: upstream.name, pulledFrom: upstream.name }
    const archive = await unlessEnded(signal, upstream.open(address, version, pulling.via, signal))
    const kept = await publishTaken(parts, address, input, bytesUnlessEnded(signal, archive))
    if (!kept.ok) signal.throwIfAborted()
    // Another server of this registry may have copied it in the meantime.
    if (!kept.ok && kept.refusal.code !== 'version_exists') failedBy(kept.refusal.message)
  }
  const begin = async () => {
    const begun = pulling.queue.start(foldName(address.namespace), work)
    if (begun === undefined) return failedBy('too many other copies wait')
    await begun.catch((error: unknown) => {
      if (!(error instanceof PullEnded)) throw error
      failedBy(error.message)
    })
  }
  const copying =
    running.get(key) ??
    begin()
      .catch(report)
      .finally(() => running.delete(key))
  running.set(key, copying)
  return copying
}

type PullRefusal = 'upstream_failed' | 'pull_limited'
type Missing = 'module_not_found' | 'module_moved' | 'version_not_found'

/** Reads a version; one that is not here is copied from the upstream first. */
async function reading<Value, Code extends string>(
  parts: RegistryParts,
  { namespace, name, provider }: ModuleAddress,
  wanted: string | undefined,
  reader: Reader,
  read: () => Promise<Answer<Value, Code | Missing>>,
): Promise<Answer<Value, Code | Missing | PullRefusal>> {
  const found = await read()
  if (found.ok || !parts.pulling || found.refusal.code === 'module_moved') return found
  const address = { namespace, name, provider }
  const upstream = await versionsUpstream(parts, address, reader)
  if (!upstream.ok) return upstream
  const listed = sorted(upstream.value ?? [])
  const number = wanted === undefined ? latestVersion(listed)?.number : parseVersion(wanted)?.canonical
  if (number === undefined || !listed.some((each) => each.number === number)) return found
  const isRunning = parts.pulling.running.has(runningKey(address, number))
  if (reader.name === undefined && !isRunning && !parts.pulling.admitAnonymous(parts.env().now))
    return limited
  await pull(parts, address, number)
  const copied = await read()
  return copied.ok ? copied : failed
}

const sorted = (numbers: readonly string[]) =>
  numbers
    .flatMap((number) => parseVersion(number) ?? [])
    .sort(compareVersions)
    .map(({ canonical }) => ({ number: canonical }))

/** What is known of a version that is not here. */
const unread = {
  moduleId: '',
  source: '',
  publishedMicros: 0,
  root: { path: '', dependencies: [], providers: [] },
  submodules: [],
}

/** Reads that copy what is not here from an upstream; without one, those of the registry. */
export const pullThrough = {
  listVersions: routeOperation({
    refuses: [...readOperations.listVersions.refuses, 'upstream_failed'],
    run: async (parts: RegistryParts, address: ModuleAddress, reader: Reader) => {
      const found = await readOperations.listVersions.run(parts, address, reader)
      if (!parts.pulling || (!found.ok && found.refusal.code === 'module_moved')) return found
      const upstream = await versionsUpstream(parts, address, reader)
      if (!upstream.ok || upstream.value === undefined) return found.ok || upstream.ok ? found : upstream
      const here = found.ok ? found.value.versions : []
      const byNumber = new Map(here.map((version) => [version.number, version]))
      const all = sorted([...new Set([...byNumber.keys(), ...upstream.value])])
      const versions = all.map(({ number }): ListedVersion => byNumber.get(number) ?? { ...unread, number })
      const row = found.ok ? found.value.row : Object.assign({ source: '' }, address)
      return { ok: true as const, value: { row, versions } }
    },
  }),
  readModule: routeOperation({
    refuses: [...readOperations.readModule.refuses, 'upstream_failed', 'pull_limited'],
    run: (parts: RegistryParts, address: ModuleAddress, version: string | undefined, reader: Reader) =>
      reading(parts, address, version, reader, () =>
        readOperations.readModule.run(parts, address, version, reader),
      ),
  }),
  download: routeOperation({
    refuses: [...readOperations.download.refuses, 'upstream_failed', 'pull_limited'],
    run: (
      parts: RegistryParts,
      address: ModuleAddress & { readonly version: string },
      reader: Reader,
      isCounted: boolean,
    ) =>
      reading(parts, address, address.version, reader, () =>
        (isCounted ? readOperations.download : readOperations.locateVersion).run(
          parts,
          address,
          address.version,
          reader,
        ),
      ),
  }),
}
