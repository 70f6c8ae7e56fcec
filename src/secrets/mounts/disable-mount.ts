import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { Mount, MountEvent, MountTable } from './model.ts'
import { canonicalPath, type MountPolicy, mountPolicy } from './rules.ts'

/**
 * Unmounts the mount at a path. The caller deletes its data, which is stored under the mount's id.
 *
 * @returns the mount, or `undefined` when the path was free; `mount_fixed` for the built-in mounts of every namespace
 */
export function disableMount(
  table: MountTable,
  input: { readonly path: string },
  _env: Env,
  policy: MountPolicy = mountPolicy,
): Outcome<MountTable, Mount | undefined, MountEvent, 'mount_fixed'> {
  checkInput(input, { path: '' }, {})
  const path = canonicalPath(input.path)
  const mount = ownValue(table.mounts, path)
  if (mount === undefined) return answer(table, undefined)
  const known = ownValue(policy.types, mount.type)
  if (known?.single) return refuse('mount_fixed', `cannot unmount "${path}"`)
  return step(table, (draft, emit) => {
    delete draft.mounts[path]
    emit({ type: 'mount.disabled', path })
    return mount
  })
}
