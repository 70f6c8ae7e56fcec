import { nodeCrypto } from '../../crypto/index.ts'
import type { HttpService, OpenApiDocument, Route, ServiceFetch } from '../../http/index.ts'
import { checkFunctions } from '../../kernel/check-functions.ts'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { eventEmitter } from '../../kernel/event-emitter.ts'
import { hourly } from '../../kernel/hourly.ts'
import { type Answer, systemEnv, systemTimers } from '../../kernel/index.ts'
import { checking } from '../../operation/arguments.ts'
import { memoryStore, type Replica, replica, StoreError } from '../../store/index.ts'
import { checkStore } from '../../store/port/check-store.ts'
import { type Caller, host } from '../accounts/access.ts'
import { sizeLimits } from '../boxes/limits.ts'
import { allRecords } from '../records.ts'
import { type CatalogContext, catalogHttp } from '../routes/catalog-http.ts'
import { uploadPolicy } from '../uploads/policy.ts'
import { type AccountMethods, accountMethods } from './accounts.ts'
import { boxMethods } from './boxes.ts'
import type { Core } from './core.ts'
import { countingDownloads, imageMethods } from './images.ts'
import { type CatalogRecords, type Loaded, type LoadRefusal, load } from './load.ts'
import { finishLoads } from './load-parts.ts'
import { logInMethods } from './log-in.ts'
import { callerInputs, expectCaller, methodInputs } from './method-inputs.ts'
import type { CatalogMethods, ServedMethods } from './methods.ts'
import { blobsOf, type CatalogOptions, catalogOptions } from './options.ts'
import { providerMethods } from './providers.ts'
import { receiveUpload } from './receive-upload.ts'
import { openSearch } from './search.ts'
import { sweep, sweepBlobs } from './sweep.ts'
import { tokenMethods } from './tokens.ts'
import { uploadMethods } from './uploads.ts'
import { versionMethods } from './versions.ts'

/**
 * A box catalog: its methods, and its HTTP interface as a fetch handler.
 *
 * @remarks
 * The methods on the catalog itself are the embedding program's, which may do everything; {@link Catalog.as} gives
 * those of a user. Methods answer `{ ok: true, value }` or a refusal; `unwrap` turns the latter into an exception. Given
 * what they do not take, they reject with a TypeError that names it.
 *
 * @public
 */
export interface Catalog extends CatalogMethods, AccountMethods, ServedMethods {
  /**
   * Fills an empty catalog with boxes in wire form, all of them or none; answers how many records of each kind. With
   * `dryRun` it answers what it would answer, and stores nothing. Accounts that exist stay as they are. Where there are
   * some, the boxes appear one after the other, and nobody else can take their names meanwhile; what a process that dies
   * on the way leaves is stored by whoever opens the store next, or sweeps it.
   */
  readonly load: (
    records: CatalogRecords,
    options?: { readonly dryRun?: boolean | undefined },
  ) => Promise<Answer<Loaded, LoadRefusal>>
  /**
   * Takes away what expired, and what crashes and deletions left behind, and finishes loads that crashes cut short; done
   * every hour anyway. Answers how many records it took away.
   */
  readonly sweep: () => Promise<number>
  /**
   * Deletes images that no record names, once records were restored from an older copy or lost; nothing else leaves
   * any. Answers how many those were.
   */
  readonly sweepBlobs: () => Promise<number>
  /** Answers a request; never rejects. */
  readonly fetch: ServiceFetch
  /** The route table. */
  readonly routes: readonly Route<CatalogContext>[]
  /** The OpenAPI 3.1 document of the table. */
  readonly openapi: () => OpenApiDocument
  /** The table as text. */
  readonly help: HttpService<CatalogContext>['help']
  /** Stores what is still to be counted and stops what runs in the background; store and blobs stay open. */
  readonly close: () => Promise<void>
  /** The same as `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const maxKept = 1000

/**
 * Makes a box catalog: in memory, or with its records on a store and uploaded images in a blob store.
 *
 * @throws TypeError that names an option which it does not have, or says that a `store` came without `blobs`
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createCatalog } from 'plinth/catalog'
 *
 * const catalog = createCatalog()
 * unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
 * unwrap(await catalog.createBox({ username: 'alice', name: 'tiny', private: false }))
 * unwrap(await catalog.createVersion({ username: 'alice', name: 'tiny' }, { version: '1.0.0' }))
 *
 * const answer = await catalog.fetch(new Request('http://catalog.test/api/v2/box/alice/tiny'))
 * answer.status // 200
 * await catalog.close()
 * ```
 *
 * @example
 * A user's way from nothing to a box that others find, without HTTP:
 * ```ts
 * import { unwrap } from 'plinth'
 * import { createCatalog } from 'plinth/catalog'
 *
 * const catalog = createCatalog()
 * unwrap(await catalog.putUser({ username: 'alice' }))
 * const alice = catalog.as({ kind: 'user', username: 'alice' })
 * const box = { username: 'alice', name: 'tiny' }
 * const version = { ...box, version: '1.0.0' }
 *
 * unwrap(await alice.createBox({ ...box, private: false }))
 * unwrap(await alice.createVersion(box, { version: '1.0.0' }))
 * unwrap(await alice.createProvider(version, { name: 'qemu', architecture: 'amd64' }))
 * const { secret } = unwrap(await alice.requestUpload(version, { name: 'qemu' }, 'standard'))
 * unwrap(await catalog.receiveUpload(secret, new Blob(['the image']).stream()))
 * unwrap(await alice.releaseVersion(version))
 *
 * const found = await catalog.as({ kind: 'anonymous' }).search({ q: 'tin' })
 * found.map(({ box, current }) => `${box.name} ${current?.number}`) // ['tiny 1.0.0']
 * await catalog.close()
 * ```
 *
 * @public
 */
export function createCatalog(options: CatalogOptions = {}): Catalog {
  checkOptions('createCatalog', options, catalogOptions)
  checkStore(options.store)
  checkFunctions(options, ['env', 'clientOf', 'turnAway', 'onEvent', 'onRequest', 'onError'])
  const blobs = blobsOf(options)
  checkNumbers({ least: 1, unit: 'bytes' }, { maxImageBytes: options.maxImageBytes })
  checkNumbers(
    { least: 1, unit: 'seconds' },
    {
      'uploads.beginWithinSeconds': options.uploads?.beginWithinSeconds,
      'uploads.finalizeWithinSeconds': options.uploads?.finalizeWithinSeconds,
    },
  )
  checkNumbers({ least: 1, unit: 'boxes' }, { 'limits.boxesPerOwner': options.limits?.boxesPerOwner })
  checkNumbers(
    { least: 1, unit: 'characters' },
    {
      'limits.charactersPerVersion': options.limits?.charactersPerVersion,
      'limits.charactersPerBox': options.limits?.charactersPerBox,
    },
  )
  const timers = options.timers ?? systemTimers
  const onError = options.onError ?? (() => {})
  const { store = memoryStore() } = options
  let opened: Promise<Replica> | undefined
  let closed = false
  const view = async () => {
    if (closed) throw new StoreError('closed', 'the catalog was closed')
    opened ??= replica(store, allRecords, { timers, onError }).catch((error: unknown) => {
      // A store that cannot be read now is read by the next caller.
      opened = undefined
      throw error
    })
    return opened
  }
  const env = options.env ?? systemEnv
  const core: Core = {
    store,
    view,
    blobs,
    env,
    crypto: options.crypto ?? nodeCrypto(),
    uploadPolicy: {
      beginWithinSeconds: options.uploads?.beginWithinSeconds ?? uploadPolicy.beginWithinSeconds,
      finalizeWithinSeconds: options.uploads?.finalizeWithinSeconds ?? uploadPolicy.finalizeWithinSeconds,
    },
    sizeLimits: {
      boxesPerOwner: options.limits?.boxesPerOwner ?? sizeLimits.boxesPerOwner,
      charactersPerVersion: options.limits?.charactersPerVersion ?? sizeLimits.charactersPerVersion,
      charactersPerBox: options.limits?.charactersPerBox ?? sizeLimits.charactersPerBox,
    },
    maxImageBytes: options.maxImageBytes,
    verifyChecksums: options.verifyChecksums ?? true,
    deliverCode: options.deliverCode,
    tally: countingDownloads({ view, env, timers, onError }),
    emit: eventEmitter(options.onEvent, onError),
    onError,
  }
  const search = openSearch(core)
  const methodsOf = (caller: Caller): CatalogMethods => ({
    ...boxMethods(core, caller),
    ...versionMethods(core, caller),
    ...providerMethods(core, caller),
    ...uploadMethods(core, caller),
    ...imageMethods(core, caller),
    search: (query = {}) => search.find(query, caller),
  })
  // Putting the methods together costs more than most of them: those of the latest callers are kept.
  const kept = new Map<string, CatalogMethods>()
  const as = (caller: Caller): CatalogMethods => {
    const name = caller.kind === 'user' ? `user ${caller.username}` : caller.kind
    const known = kept.get(name)
    if (known) return known
    if (kept.size >= maxKept) kept.clear()
    const made = methodsOf(caller)
    kept.set(name, made)
    return made
  }
  const tokens = tokenMethods(core)
  const loadRecords: Catalog['load'] = (records, options) => load(core, records, options)
  const own = {
    ...accountMethods(core),
    ...tokens,
    ...logInMethods(core, tokens.createToken),
    receiveUpload: (secret: string, body: AsyncIterable<Uint8Array>) => receiveUpload(core, secret, body),
    load: loadRecords,
    sweep: () => sweep(core),
    sweepBlobs: () => sweepBlobs(core),
  }
  const checked = new WeakMap<CatalogMethods, CatalogMethods>()
  /** For programs, whose types may not have been checked. */
  const checkedAs: Catalog['as'] = (caller) => {
    const methods = as(expectCaller(caller))
    const made = checked.get(methods) ?? checking(methods, callerInputs)
    checked.set(methods, made)
    return made
  }

  const { fetch, routes, openapi, help } = catalogHttp({ ...as(host), ...own, as }, options, core.env)
  // Last, for a mistake in the options is thrown before. Whoever needs the store hears of its failure.
  finishLoads(core).catch(() => {})
  const endSweeps = hourly(timers, own.sweep, onError)
  const close = async () => {
    await core.tally.settled()
    closed = true
    endSweeps()
    search.close()
    const last = await opened?.catch(() => undefined)
    await last?.close()
  }
  return {
    ...checking({ ...as(host), ...own }, methodInputs),
    as: checkedAs,
    fetch,
    routes,
    openapi,
    help,
    close,
    [Symbol.asyncDispose]: close,
  }
}
