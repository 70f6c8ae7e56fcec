import type { Token, TokenRole } from '../../tokens/index.ts'
import type { Core, Namespace } from '../core/core.ts'
import { tokenRoles } from './records.ts'

/** The current role of a token; `gone` if it was deleted. */
export async function roleOf(
  core: Core,
  { role }: Token,
  namespace: Namespace,
): Promise<TokenRole | 'gone' | undefined> {
  if (role === null) return undefined
  return tokenRoles.get(await core.fresh(), namespace.id, role)?.value.role ?? 'gone'
}

export const roleNow = async (
  core: Core,
  namespace: Namespace,
  name: string,
): Promise<TokenRole | undefined> => tokenRoles.get(await core.fresh(), namespace.id, name)?.value.role
