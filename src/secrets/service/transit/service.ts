import { type Answer, refuse } from '../../../kernel/index.ts'
import {
  configureTransitKey,
  rotateTransitKey,
  type TransitConfigInput,
  transitDeletionProblem,
  trimTransitKey,
} from '../../transit/change-key.ts'
import { createTransitKey } from '../../transit/create-key.ts'
import { isTransitKeyType } from '../../transit/key-types.ts'
import type { TransitEvent, TransitKey } from '../../transit/model.ts'
import { atMount } from '../core/at-mount.ts'
import type { Core, Place } from '../core/core.ts'
import { drawMaterial } from './material.ts'
import { transitKeys } from './records.ts'
import { usingKeys } from './using-keys.ts'

/** The transit keys of a service. */
export type TransitService = ReturnType<typeof transitService>

export const unknownKey = () => refuse('transit_key_unknown', 'encryption key not found')

export function transitService(core: Core) {
  const { change } = atMount(core)
  const read = async ({ mount }: Place, name: string): Promise<TransitKey | undefined> =>
    transitKeys.get(await core.fresh(), mount.id, name)?.value.key

  return {
    ...usingKeys(core.crypto),
    list: async ({ mount }: Place): Promise<readonly string[]> =>
      transitKeys.list(await core.fresh(), mount.id).map(({ value }) => value.key.name),
    read,
    /** Creates a key; an existing one stays unchanged. */
    create: (
      place: Place,
      input: {
        readonly name: string
        readonly type?: string | undefined
        readonly exportable?: boolean | undefined
      },
    ) => {
      const type = input.type || 'aes256-gcm96'
      // Generated before the commit, which may be decided several times.
      const material = isTransitKeyType(type)
        ? drawMaterial(core.crypto, type)
        : { key: '', hmacKey: '', publicKey: null }
      return change<TransitKey, 'transit_key_invalid', TransitEvent>(place, (tx, env) => {
        const before = tx.get(transitKeys, place.mount.id, input.name)?.value.key
        const made = createTransitKey(before, { ...input, type, material }, env)
        if (made.ok && made.state !== before) tx.put(transitKeys, { mount: place.mount.id, key: made.state })
        return made
      })
    },
    rotate: async (
      place: Place,
      name: string,
    ): Promise<Answer<TransitKey, 'transit_key_unknown' | 'mount_gone'>> => {
      const key = await read(place, name)
      if (key === undefined) return unknownKey()
      const material = drawMaterial(core.crypto, key.type)
      return change<TransitKey, 'transit_key_unknown', TransitEvent>(place, (tx, env) => {
        const before = tx.get(transitKeys, place.mount.id, name)?.value.key
        // The key was deleted and created with another type meanwhile: the new material does not fit it.
        if (before?.type !== key.type) return unknownKey()
        const rotated = rotateTransitKey(before, { material }, env)
        if (rotated.ok) tx.put(transitKeys, { mount: place.mount.id, key: rotated.state })
        return rotated
      })
    },
    configure: (place: Place, name: string, input: TransitConfigInput) =>
      change<TransitKey, 'transit_key_unknown' | 'transit_version_invalid', TransitEvent>(
        place,
        (tx, env) => {
          const before = tx.get(transitKeys, place.mount.id, name)?.value.key
          if (before === undefined) return unknownKey()
          const configured = configureTransitKey(before, input, env)
          if (configured.ok) tx.put(transitKeys, { mount: place.mount.id, key: configured.state })
          return configured
        },
      ),
    trim: (place: Place, name: string, minAvailableVersion: number) =>
      change<TransitKey, 'transit_key_unknown' | 'transit_version_invalid', TransitEvent>(
        place,
        (tx, env) => {
          const before = tx.get(transitKeys, place.mount.id, name)?.value.key
          if (before === undefined) return unknownKey()
          const trimmed = trimTransitKey(before, { minAvailableVersion }, env)
          if (trimmed.ok && trimmed.state !== before)
            tx.put(transitKeys, { mount: place.mount.id, key: trimmed.state })
          return trimmed
        },
      ),
    delete: (place: Place, name: string) =>
      change<boolean, 'transit_key_unknown' | 'transit_key_invalid', TransitEvent>(place, (tx) => {
        const before = tx.get(transitKeys, place.mount.id, name)?.value.key
        if (before === undefined)
          return refuse(
            'transit_key_unknown',
            `error deleting policy ${name}: could not delete key; not found`,
          )
        const problem = transitDeletionProblem(before)
        if (problem) return problem
        tx.delete(transitKeys, place.mount.id, name)
        return { ok: true, value: true, events: [{ type: 'transit.key_deleted', key: name }] }
      }),
  }
}
