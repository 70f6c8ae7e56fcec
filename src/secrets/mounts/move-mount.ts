import { checkInput } from '../../kernel/check-input.ts'
import { type Env, type Outcome, refuse, step } from '../../kernel/index.ts'
import { ownValue } from '../../kernel/objects.ts'
import type { Mount, MountEvent, MountTable } from './model.ts'
import { canonicalPath, type MountPathRefusal, type MountPolicy, mountPolicy, placeProblem } from './rules.ts'

/** Why a mount was not moved. */
export type MoveRefusal = 'mount_not_found' | 'mount_fixed' | 'mount_role_change' | MountPathRefusal

/**
 * Moves a mount with its data. Its accessor stays; an auth method stays below `auth/`, and its users must sign in again.
 */
export function moveMount(
  table: MountTable,
  input: { readonly from: string; readonly to: string },
  _env: Env,
  policy: MountPolicy = mountPolicy,
): Outcome<MountTable, Mount, MountEvent, MoveRefusal> {
  checkInput(input, { from: '', to: '' }, {})
  const from = canonicalPath(input.from)
  const to = canonicalPath(input.to)
  const mount = ownValue(table.mounts, from)
  if (mount === undefined) return refuse('mount_not_found', `no matching mount at "${from}"`)
  const known = ownValue(policy.types, mount.type)
  if (known === undefined || known.single) return refuse('mount_fixed', `cannot remount "${from}"`)
  if ((known.role === 'auth') !== to.startsWith('auth/'))
    return refuse(
      'mount_role_change',
      'auth methods can only move below auth/, and secrets engines only elsewhere',
    )
  const others: MountTable = {
    mounts: Object.fromEntries(Object.entries(table.mounts).filter(([path]) => path !== from)),
  }
  const refused = placeProblem(from === to ? table : others, to, known.role)
  if (refused) return refused
  const moved: Mount = {
    ...mount,
    path: to,
    ...(known.role === 'auth' ? { moves: (mount.moves ?? 0) + 1 } : {}),
  }
  return step(table, (draft, emit) => {
    delete draft.mounts[from]
    draft.mounts[to] = moved
    emit({ type: 'mount.moved', path: from, to })
    return moved
  })
}
