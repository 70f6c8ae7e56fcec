import type { Answer } from '../../kernel/index.ts'
import type { Caller } from '../accounts/access.ts'
import type { BoxMethods } from './boxes.ts'
import type { ProviderDetail } from './details.ts'
import type { ImageMethods } from './images.ts'
import type { LogInMethods } from './log-in.ts'
import type { ProviderMethods } from './providers.ts'
import type { ReceiveRefusal } from './receive-upload.ts'
import type { SearchMethods } from './search.ts'
import type { TokenMethods } from './tokens.ts'
import type { UploadMethods } from './uploads.ts'
import type { VersionMethods } from './versions.ts'

/**
 * What a caller can do: everything that depends on who is asking.
 *
 * @public
 */
export interface CatalogMethods
  extends BoxMethods,
    VersionMethods,
    ProviderMethods,
    UploadMethods,
    ImageMethods,
    SearchMethods {}

/**
 * What a catalog's HTTP interface stands on: log-ins, tokens, and the methods of whoever they speak for.
 *
 * @public
 */
export interface ServedMethods extends TokenMethods, LogInMethods {
  /**
   * The methods as somebody else may use them.
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
  /** Takes the bytes of an upload by the secret in its address, streaming. */
  readonly receiveUpload: (
    secret: string,
    body: AsyncIterable<Uint8Array>,
  ) => Promise<Answer<ProviderDetail, ReceiveRefusal>>
}
