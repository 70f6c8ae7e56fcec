import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { transitKeyTypes } from '../../transit/key-types.ts'
import type { TransitKey } from '../../transit/model.ts'
import { found } from '../core/answer.ts'
import type { Sited } from '../core/context.ts'
import { keyNow, unknownKey } from './find-key.ts'
import { privateText, publicText } from './material.ts'

/** The readable material of an exportable key. */
const exported = {
  'encryption-key': ({ type }: TransitKey) => transitKeyTypes[type].encrypts,
  'signing-key': ({ type }: TransitKey) => transitKeyTypes[type].signs,
  'public-key': ({ type }: TransitKey) => transitKeyTypes[type].signs,
  'hmac-key': () => true,
} as const satisfies Readonly<Record<string, (key: TransitKey) => boolean>>
const isExported = (kind: string): kind is keyof typeof exported => Object.hasOwn(exported, kind)

/** Reads the material of an exportable key: all versions, or one. */
export const transitExport = routeOperation({
  refuses: ['transit_key_unknown', 'transit_unsupported', 'transit_version_invalid'],
  run: async (at: Sited, kind: string, name: string, asked: string | undefined) => {
    const key = await keyNow(at, name)
    if (key === undefined) return unknownKey()
    if (!isExported(kind))
      return refuse('transit_unsupported', `invalid export type: ${JSON.stringify(kind)}`)
    if (!key.exportable && kind !== 'public-key')
      return refuse('transit_unsupported', 'private key material is not exportable')
    if (!exported[kind](key)) return refuse('transit_unsupported', `the key type ${key.type} has no ${kind}`)
    const wanted = asked === 'latest' ? String(key.latestVersion) : asked
    const versions = Object.entries(key.versions).filter(
      ([version]) =>
        Number(version) >= key.minDecryptionVersion && (wanted === undefined || version === wanted),
    )
    if (versions.length === 0)
      return refuse('transit_version_invalid', 'version does not exist or cannot be found')
    const keys = versions.map(([version, made]) => [
      version,
      kind === 'hmac-key'
        ? made.hmacKey
        : kind === 'public-key'
          ? publicText(key.type, made)
          : privateText(key.type, made),
    ])
    return found({ name: key.name, type: key.type, keys: Object.fromEntries(keys) })
  },
})
