import type { Range } from '../../../store/index.ts'
import type { ListPage } from '../core/list-page.ts'

/** The names of a folder to list; all of its direct children by default. */
export interface Listing extends ListPage {
  /** Lists the paths of all secrets below the folder, and no folders. */
  readonly deep?: boolean | undefined
  /** Filters names, preserving their order. */
  readonly keep?: ((names: readonly string[]) => Promise<readonly string[]>) | undefined
}

/** The keys of the secrets of a mount. */
export interface MountKeys {
  /** The key of the empty path, which is a prefix of the key of every path. */
  readonly base: string
  /** Reads a range of keys. */
  readonly scan: (range: Range) => readonly string[]
  /** Reads the whole paths of keys that contain only their heads; `undefined` if one was deleted meanwhile. */
  readonly pathsAt: (keys: readonly string[]) => Promise<readonly (string | undefined)[]>
}
