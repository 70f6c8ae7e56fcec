import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The subpaths that rows use. An older edition may lack some of them, or export less. */
interface Subpaths {
  readonly './acl': typeof import('../../src/secrets/acl/index.ts')
  readonly './catalog': typeof import('../../src/catalog/index.ts')
  readonly './filter': typeof import('../../src/filter/index.ts')
  readonly './gateway': typeof import('../../src/gateway/index.ts')
  readonly './node': typeof import('../../src/http/node/index.ts')
  readonly './registry': typeof import('../../src/registry/index.ts')
  readonly './scheduler': typeof import('../../src/scheduler/index.ts')
  readonly './secrets': typeof import('../../src/secrets/index.ts')
  readonly './store': typeof import('../../src/store/index.ts')
  readonly './store/sqlite': typeof import('../../src/store/sqlite/index.ts')
}

/** Imports a subpath of a built package. */
export type Load = <Name extends keyof Subpaths>(name: Name) => Promise<Subpaths[Name]>

/** A working tree whose `dist` is built. */
export interface Tree {
  readonly folder: string
  readonly load: Load
  /** The file of a subpath, as the tree's `package.json` names it. */
  readonly fileOf: (name: string) => string
}

/** Opens the package that is built in a folder. */
export function treeAt(folder: string): Tree {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const fileOf = (name: string): string => {
    const file: unknown = exports[name]?.default
    if (typeof file !== 'string') throw new Error(`the package has no ${name}`)
    return join(folder, file)
  }
  return { folder, fileOf, load: async (name) => import(pathToFileURL(fileOf(name)).href) }
}
