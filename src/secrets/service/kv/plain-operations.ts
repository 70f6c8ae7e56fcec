import { anything, argument } from '../../../operation/arguments.ts'
import { operation, routeOperation } from '../../../operation/operation.ts'
import { type Entry, leaseSecondsOf } from '../../kv1/index.ts'
import { leaseTimesOf } from '../../mounts/rules.ts'
import { found } from '../core/answer.ts'
import { folder, listPage, path } from '../core/arguments.ts'
import type { Sited } from '../core/context.ts'
import type { ListPage } from '../core/list-page.ts'
import type { SecretsMethods } from '../core/methods.ts'
import { placeRefusals } from '../core/paths.ts'
import type { Listing } from './listing.ts'
import { listPlain, readPlain, removePlain, writePlain } from './plain.ts'
import { parsed, type SecretData, textOf } from './secret-data.ts'

/** The result of reading a plain secret. */
export interface PlainSecretRead {
  readonly data: Readonly<Record<string, unknown>>
  /** The same as it was written, with all digits. */
  readonly json: string
  /** How long a reader may cache it, in seconds: as the secret says, else the default lease TTL of the mount. */
  readonly leaseSeconds: number
}

/** How long a reader of a mount may cache a secret, in seconds. */
export const leaseSecondsAt = ({ core, mount }: Sited, entry: Entry): number =>
  leaseSecondsOf(entry, leaseTimesOf(mount, core.mountPolicy).defaultTtlSeconds)

/** The operations on the plain secrets of a mount. */
export const plainKvOperations = {
  /**
   * Writes a secret, replacing the previous one. A path has at most 4,096 bytes.
   *
   * @example await secrets.kv1('plain').write('app', { password: 'hunter2' })
   */
  write: operation({
    takes: [path, argument<SecretData>('data', anything)],
    refuses: [...placeRefusals, 'missing_fields', 'data_not_a_map', 'data_too_deep'],
    run: async (at: Sited, path: string, data: SecretData) => {
      const json = await textOf(data)
      return typeof json === 'string' ? writePlain(at, path, json) : json
    },
  }),
  /**
   * Reads a secret; `undefined` if it does not exist.
   *
   * @example await secrets.kv1('plain').read('app')
   */
  read: operation({
    takes: [path],
    refuses: placeRefusals,
    run: async (at: Sited, path: string) => {
      const result = await readPlain(at, path)
      if (!result.ok) return result
      const json = result.value?.json
      return found<PlainSecretRead | undefined>(
        json === undefined
          ? undefined
          : { json, data: parsed(json), leaseSeconds: leaseSecondsAt(at, { json }) },
      )
    },
  }),
  /**
   * Lists a folder, in byte order of the names; subfolders end in `/`. Empty if there is nothing.
   *
   * @example await secrets.kv1('plain').list('team')
   */
  list: operation({
    takes: [folder, listPage],
    refuses: placeRefusals,
    run: (at: Sited, folder: string = '', page: ListPage = {}) => listPlain(at, folder, page),
  }),
  /**
   * The paths of all secrets below a folder, relative to it, in byte order.
   *
   * @example await secrets.kv1('plain').scan()
   */
  scan: operation({
    takes: [folder, listPage],
    refuses: placeRefusals,
    run: (at: Sited, folder: string = '', page: ListPage = {}) =>
      listPlain(at, folder, { ...page, deep: true }),
  }),
  /**
   * Removes a secret; returns whether it existed.
   *
   * @example await secrets.kv1('plain').remove('app')
   */
  remove: operation({
    takes: [path],
    refuses: placeRefusals,
    run: (at: Sited, path: string) => removePlain(at, path),
  }),
}

/** The same on JSON texts, which keep all digits; they have no typed method. */
export const plainTextOperations = {
  read: routeOperation({ refuses: placeRefusals, run: readPlain }),
  write: routeOperation({ refuses: [...placeRefusals, 'missing_fields'], run: writePlain }),
  list: routeOperation({
    refuses: placeRefusals,
    run: (at: Sited, folder: string, listing: Listing) => listPlain(at, folder, listing),
  }),
}

/** The plain secrets of one mount. */
export interface PlainKvHandle extends SecretsMethods<typeof plainKvOperations, 'no_such_mount'> {}
