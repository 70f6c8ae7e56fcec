import type { ModuleAddress } from './modules/names.ts'
import type { ModuleRow } from './search/row.ts'
import type { ListedVersion } from './versions/model.ts'
import { toVersionList } from './wire.ts'

/** A module and its versions, as `listVersions` returns them. */
export interface VersionsOf {
  readonly row: ModuleRow
  readonly versions: readonly ListedVersion[]
}

/** The same of a module that may not be stored here. */
interface Listing extends Pick<VersionsOf, 'versions'> {
  readonly row: ModuleAddress & { readonly source: string }
}

/**
 * Serializes version lists. Serializing a list of a thousand versions takes longer than finding it, so the text is
 * cached as long as the registry caches the list.
 */
export function versionListEncoder(): (listed: Listing) => string {
  const texts = new WeakMap<readonly ListedVersion[], string>()
  return ({ row, versions }) => {
    const known = texts.get(versions)
    if (known !== undefined) return known
    const text = JSON.stringify(toVersionList(row, versions))
    texts.set(versions, text)
    return text
  }
}
