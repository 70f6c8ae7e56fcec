import { refuse } from '../../../kernel/index.ts'
import type { TransitKey } from '../../transit/model.ts'
import type { Sited } from '../core/context.ts'
import { transitKeys } from './records.ts'

/** The refusals of every use of a key. */
export const useRefusals = [
  'transit_key_unknown',
  'transit_unsupported',
  'transit_version_invalid',
  'transit_input_invalid',
] as const

export const unknownKey = () => refuse('transit_key_unknown', 'encryption key not found')

/** A key with its material; `undefined` for none. */
export const keyNow = async ({ core, mount }: Sited, name: string): Promise<TransitKey | undefined> =>
  transitKeys.get(await core.fresh(), mount.id, name)?.value.key
