import type { Env } from '../../kernel/index.ts'
import type { Mount, MountTable } from './model.ts'

/** A mount that every new namespace has. */
export interface Born {
  readonly path: string
  readonly type: string
  readonly description: string
  readonly options?: Readonly<Record<string, string>> | undefined
}

/**
 * The mounts that every namespace has: the system's routes, token store and per-token storage.
 */
export const builtInMounts: readonly Born[] = [
  { path: 'auth/token/', type: 'token', description: 'token based credentials' },
  { path: 'cubbyhole/', type: 'cubbyhole', description: 'per-token private secret storage' },
  { path: 'identity/', type: 'identity', description: 'identity store' },
  { path: 'sys/', type: 'system', description: 'system endpoints used for control, policy and debugging' },
]

/** The built-in mounts that a table of an earlier release lacks. */
export const missingMounts = ({ mounts }: MountTable): readonly Born[] =>
  builtInMounts.filter(({ path }) => !Object.hasOwn(mounts, path))

/**
 * A namespace's first mount table.
 *
 * @param accessorTail - generates random letters and digits for a mount
 */
export function freshMounts(born: readonly Born[], env: Env, accessorTail: () => string): MountTable {
  const mounts: Record<string, Mount> = {}
  for (const { path, type, description, options } of born)
    mounts[path] = {
      id: env.newId('mount'),
      path,
      type,
      description,
      accessor: `${path.startsWith('auth/') ? 'auth_' : ''}${type}_${accessorTail()}`,
      options: options ? { ...options } : null,
      defaultLeaseTtlSeconds: 0,
      maxLeaseTtlSeconds: 0,
      tokenType: 'default-service',
      listingVisibility: '',
      local: type === 'cubbyhole',
      sealWrap: false,
      createdAt: env.now,
      upgrading: false,
    }
  return { mounts }
}
