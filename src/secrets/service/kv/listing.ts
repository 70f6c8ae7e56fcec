import type { Range } from '../../../store/index.ts'
import type { ListPage } from '../list-page.ts'

/** Which names of a folder are listed; all of its direct children by default. */
export interface Listing extends ListPage {
  /** Lists the paths of all secrets below the folder, and no folders. */
  readonly deep?: boolean | undefined
  /** Which of some names count, in their order. */
  readonly keep?: ((names: readonly string[]) => Promise<readonly string[]>) | undefined
}

/** The keys of the secrets of a mount. */
export interface MountKeys {
  /** The key of the empty path, which the key of every path begins with. */
  readonly base: string
  /** Reads a run of keys. */
  readonly scan: (range: Range) => readonly string[]
  /** Reads the whole paths of keys that have only the heads of theirs; `undefined` where one was deleted meanwhile. */
  readonly pathsAt: (keys: readonly string[]) => Promise<readonly (string | undefined)[]>
}
