import { leaseSecondsOf } from '../../kv1/index.ts'
import type { SecretsAnswer } from '../answer.ts'
import type { Services } from '../context.ts'
import type { BodyRefusal } from '../kv/body.ts'
import { type KvRefusal, onKvMount } from './on-kv-mount.ts'
import { parsed, type SecretData, textOf } from './secret-data.ts'

/** The plain secrets of one mount. @public */
export interface PlainKvHandle {
  /** Writes a secret, in place of whatever was. */
  readonly write: (
    path: string,
    data: SecretData,
  ) => Promise<SecretsAnswer<undefined, KvRefusal | 'missing_fields' | BodyRefusal>>
  /** Reads a secret; `undefined` when there is none. */
  readonly read: (path: string) => Promise<
    SecretsAnswer<
      | {
          readonly data: Readonly<Record<string, unknown>>
          /** The same as it was written, no digit lost. */
          readonly json: string
          /** How long a reader may keep it, in seconds; 0 when the secret does not say. */
          readonly leaseSeconds: number
        }
      | undefined,
      KvRefusal
    >
  >
  /** What is in a folder, in the order of the names' bytes; what holds more ends in `/`. Empty where there is nothing. */
  readonly list: (folder?: string) => Promise<SecretsAnswer<readonly string[], KvRefusal>>
  /** Removes a secret; answers whether there was one. */
  readonly remove: (path: string) => Promise<SecretsAnswer<boolean, KvRefusal>>
}

export function plainKvHandle(services: Services, path: string): PlainKvHandle {
  const { plain } = services
  const at = onKvMount(services, path, 1)
  return {
    write: async (key, data) => {
      const json = textOf(data)
      return typeof json === 'string' ? at((place) => plain.write(place, key, json)) : json
    },
    read: async (key) => {
      const result = await at((place) => plain.read(place, key))
      if (!result.ok || result.value === undefined) return result.ok ? { ok: true, value: undefined } : result
      const { json } = result.value
      return { ok: true, value: { json, data: parsed(json), leaseSeconds: leaseSecondsOf({ json }) } }
    },
    list: (folder = '') => at((place) => plain.list(place, folder)),
    remove: (key) => at((place) => plain.remove(place, key)),
  }
}
