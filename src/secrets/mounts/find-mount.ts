import type { Mount, MountTable } from './model.ts'

/** The target of a path: the mount, and the rest of the path within it. */
export interface MountFound {
  readonly mount: Mount
  readonly rest: string
}

/**
 * Builds a look-up from paths to mounts. A look-up costs as many steps as the longest mount path has segments, for
 * requested paths of any length.
 *
 * @remarks
 * `secret` alone is a path within `secret/`: its rest is empty.
 */
export function mountFinder(table: MountTable): (path: string) => MountFound | undefined {
  const mounts = new Map(Object.values(table.mounts).map((mount) => [mount.path, mount]))
  const deepest = Math.max(0, ...Array.from(mounts.keys(), (path) => path.split('/').length - 1))
  return (path) => {
    let end = -1
    for (let depth = 0; depth < deepest; depth += 1) {
      end = path.indexOf('/', end + 1)
      if (end < 0) {
        const mount = mounts.get(`${path}/`)
        return mount && { mount, rest: '' }
      }
      const mount = mounts.get(path.slice(0, end + 1))
      if (mount) return { mount, rest: path.slice(end + 1) }
    }
    return undefined
  }
}

/**
 * The mounts of one kind, ordered by path: secrets engines (the system's included), or auth methods.
 */
export const listMounts = (table: MountTable, kind: 'secret' | 'auth'): readonly Mount[] =>
  Object.values(table.mounts)
    .filter((mount) => mount.path.startsWith('auth/') === (kind === 'auth'))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
