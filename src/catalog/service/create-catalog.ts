import * as z from 'zod'
import type { HttpService, OpenApiDocument, Route, ServiceFetch } from '../../http/index.ts'
import { checkFunctions } from '../../kernel/check-functions.ts'
import { checkNumbers } from '../../kernel/check-numbers.ts'
import { checkOptions } from '../../kernel/check-options.ts'
import { hourly } from '../../kernel/hourly.ts'
import { systemTimers } from '../../kernel/index.ts'
import { checkTrust } from '../../oidc/index.ts'
import { bindOperations, checkedMethods, type MethodsOf } from '../../operation/operation.ts'
import { checkStore } from '../../store/port/check-store.ts'
import type { Caller } from '../accounts/access.ts'
import { Role } from '../accounts/role.ts'
import { usernameProblem } from '../boxes/names.ts'
import {
  type CatalogMethods,
  type CatalogOperations,
  callerOperations,
  catalogOperations,
} from '../operations/catalog-operations.ts'
import { type CatalogContext, catalogHttp } from '../routes/catalog-http.ts'
import { finishLoads } from './load-parts.ts'
import { type CatalogOptions, catalogOptions } from './options.ts'
import { catalogParts } from './parts.ts'

/**
 * A box catalog: its methods, and its HTTP interface as a fetch handler.
 *
 * @remarks
 * The methods of the catalog itself are for the embedding program, which may do everything; {@link Catalog.as} returns
 * those of a user. Methods return `{ ok: true, value }` or a refusal; `unwrap` turns a refusal into an exception. For
 * arguments of the wrong type, they reject with a TypeError that names the argument.
 */
export interface Catalog extends MethodsOf<CatalogOperations> {
  /**
   * Returns the methods as another caller may use them.
   *
   * @example
   * ```ts
   * import { createCatalog } from 'plinth/catalog'
   *
   * const catalog = createCatalog()
   * await catalog.putUser({ username: 'alice' })
   *
   * await catalog.createBox({ username: 'alice', name: 'tiny', private: true })
   * const bob = catalog.as({ kind: 'user', username: 'bob' })
   * const seen = await bob.readBox({ username: 'alice', name: 'tiny' })
   * seen.ok ? '' : seen.refusal.code // 'not_found'
   * await catalog.close()
   * ```
   */
  readonly as: (caller: Caller) => CatalogMethods
  /**
   * Answers a request; never rejects.
   *
   * @example await catalog.fetch(new Request('http://localhost/api/v2/search?q=tiny'))
   */
  readonly fetch: ServiceFetch
  /**
   * The route table.
   *
   * @example catalog.routes.map(({ methods, path }) => `${methods} ${path}`)
   */
  readonly routes: readonly Route<CatalogContext>[]
  /**
   * The OpenAPI 3.1 document of the table.
   *
   * @example JSON.stringify(catalog.openapi())
   */
  readonly openapi: () => OpenApiDocument
  /**
   * The table as text.
   *
   * @example console.log(catalog.help('/api/v2/box'))
   */
  readonly help: HttpService<CatalogContext>['help']
  /**
   * Stores pending counts and stops background work; store and blobs stay open.
   *
   * @example await catalog.close()
   */
  readonly close: () => Promise<void>
  /**
   * The same as `close`, for `await using`.
   *
   * @example await using server = catalog
   */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Creates a box catalog: in memory, or with its records in a store and uploaded images in a blob store.
 *
 * @throws TypeError for an unknown option, or for a `store` without `blobs`
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
 */
export function createCatalog(options: CatalogOptions = {}): Catalog {
  checkOptions('createCatalog', options, catalogOptions)
  checkStore(options.store)
  checkTrust(options.trust ?? [], (name) => usernameProblem(name) === undefined, 'account name')
  checkFunctions(options, [
    'env',
    'fetch',
    'authenticate',
    'clientOf',
    'turnAway',
    'onEvent',
    'onRequest',
    'onError',
  ])
  checkNumbers({ least: 1, unit: 'bytes' }, { maxImageBytes: options.maxImageBytes })
  checkNumbers({ least: 0, unit: 'milliseconds' }, { keepAuditMs: options.keepAuditMs })
  checkNumbers(
    { least: 1, unit: 'seconds' },
    {
      'uploads.beginWithinSeconds': options.uploads?.beginWithinSeconds,
      'uploads.finalizeWithinSeconds': options.uploads?.finalizeWithinSeconds,
      'uploads.repeatWithinSeconds': options.uploads?.repeatWithinSeconds,
    },
  )
  checkNumbers({ least: 1, unit: 'boxes' }, { 'limits.boxesPerOwner': options.limits?.boxesPerOwner })
  checkNumbers({ least: 1, unit: 'bytes' }, { 'limits.bytesPerOwner': options.limits?.bytesPerOwner })
  checkNumbers(
    { least: 1, unit: 'versions' },
    { keepVersions: options.keepVersions, 'limits.versionsPerOwner': options.limits?.versionsPerOwner },
  )
  checkNumbers(
    { least: 1, unit: 'characters' },
    {
      'limits.charactersPerVersion': options.limits?.charactersPerVersion,
      'limits.charactersPerBox': options.limits?.charactersPerBox,
    },
  )
  const parts = catalogParts(options)
  const methods = bindOperations(catalogOperations, parts)
  const { fetch, routes, openapi, help } = catalogHttp(parts, options)
  // Last, because a mistake in the options is thrown first. A failure of the store reaches every caller that needs it.
  finishLoads(parts).catch(() => {})
  const endSweeps = hourly(options.timers ?? systemTimers, () => methods.sweep(), parts.onError)
  const close = async () => {
    endSweeps()
    await parts.close()
  }
  return {
    ...checkedMethods(catalogOperations, methods),
    as: (caller) => {
      const core = Object.assign({}, parts, { caller: expectCaller(caller) })
      return checkedMethods(callerOperations, bindOperations(callerOperations, core))
    },
    fetch,
    routes,
    openapi,
    help,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const aCaller = z.union(
  [
    z.object({
      kind: z.literal('user'),
      username: z.string(),
      administrator: z.boolean().optional(),
      limits: z
        .object({
          role: Role,
          owners: z.array(z.string()).optional(),
          elsewhere: z.literal('reader').optional(),
        })
        .optional(),
    }),
    z.object({ kind: z.enum(['host', 'anonymous']) }),
  ],
  { error: "expected { kind: 'host' }, { kind: 'user', username } or { kind: 'anonymous' }" },
)

/** A caller of an unknown kind is a programming error: its rights are not guessed. */
function expectCaller(caller: Caller): Caller {
  const { error } = aCaller.safeParse(caller)
  if (error !== undefined) throw new TypeError(`as: caller: ${error.issues[0]?.message}`)
  return caller
}
