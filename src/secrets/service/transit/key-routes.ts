import { type Reply, route } from '../../../http/index.ts'
import { operationRoute } from '../../../http/route.ts'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { transitKeyTypes } from '../../transit/key-types.ts'
import type { TransitKey } from '../../transit/model.ts'
import { answerWith, asData, asKeys, type SecretsContext } from '../core/context.ts'
import { body, booleanField, integerField, textField } from '../core/fields.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { privateText, publicText } from './material.ts'
import { keyNow, transitOperations, unknownKey } from './operations.ts'
import { ExportReply, KeyReply, keyWire } from './wire.ts'

const at = route<SecretsContext>()
const runs = operationRoute<SecretsContext>()

const KeyBody = body({
  type: textField,
  exportable: booleanField,
  derived: booleanField,
  convergent_encryption: booleanField,
  allow_plaintext_backup: booleanField,
})
const ConfigBody = body({
  min_decryption_version: integerField,
  min_encryption_version: integerField,
  deletion_allowed: booleanField,
  exportable: booleanField,
})
const TrimBody = body({ min_available_version: integerField })

/** The readable material of an exportable key. */
const exported = {
  'encryption-key': ({ type }: TransitKey) => transitKeyTypes[type].encrypts,
  'signing-key': ({ type }: TransitKey) => transitKeyTypes[type].signs,
  'public-key': ({ type }: TransitKey) => transitKeyTypes[type].signs,
  'hmac-key': () => true,
} as const satisfies Readonly<Record<string, (key: TransitKey) => boolean>>
const isExported = (kind: string): kind is keyof typeof exported => Object.hasOwn(exported, kind)

/** The routes of keys, relative to their mount. */
export const transitKeyRoutes = [
  runs({
    id: 'transit.keys',
    method: 'LIST',
    path: '/keys',
    summary: 'List the keys',
    access: 'list',
    ...listsKeys,
    run: transitOperations.listKeys,
    show: asKeys,
  }),
  runs({
    id: 'transit.read-key',
    method: 'GET',
    path: '/keys/:name',
    summary: 'Read a key; its material is never shown here',
    access: 'read',
    reply: KeyReply,
    ...orNothing,
    run: transitOperations.readKey,
    with: ({ params }) => [params.name],
    show: asData(keyWire),
  }),
  runs({
    id: 'transit.create-key',
    method: 'POST',
    path: '/keys/:name',
    summary: 'Create a key; an existing one stays unchanged',
    access: 'update',
    body: KeyBody,
    refusals: ['transit_unsupported'],
    reply: KeyReply,
    run: transitOperations.createKey,
    with: ({ params, body }) =>
      body.derived || body.convergent_encryption || body.allow_plaintext_backup
        ? refuse('transit_unsupported', 'derived and convergent keys, and backups of keys, are not supported')
        : [params.name, { type: body.type, exportable: body.exportable }],
    show: asData(keyWire),
  }),
  runs({
    id: 'transit.delete-key',
    method: 'DELETE',
    path: '/keys/:name',
    summary: 'Delete a key that allows deletion; data encrypted with it is lost',
    access: 'delete',
    run: transitOperations.deleteKey,
    with: ({ params }) => [params.name],
  }),
  runs({
    id: 'transit.rotate-key',
    method: 'POST',
    path: '/keys/:name/rotate',
    summary: 'Add a version to a key',
    access: 'update',
    reply: KeyReply,
    run: transitOperations.rotateKey,
    with: ({ params }) => [params.name],
    show: asData(keyWire),
  }),
  runs({
    id: 'transit.configure-key',
    method: 'POST',
    path: '/keys/:name/config',
    summary: 'Configure which versions encrypt and decrypt, and whether the key can be deleted',
    access: 'update',
    body: ConfigBody,
    reply: KeyReply,
    run: transitOperations.configureKey,
    with: ({ params, body }) => [
      params.name,
      {
        minDecryptionVersion: body.min_decryption_version,
        minEncryptionVersion: body.min_encryption_version,
        deletionAllowed: body.deletion_allowed,
        exportable: body.exportable,
      },
    ],
    show: asData(keyWire),
  }),
  runs({
    id: 'transit.trim-key',
    method: 'POST',
    path: '/keys/:name/trim',
    summary: 'Delete the material of old versions permanently',
    access: 'update',
    body: TrimBody,
    reply: KeyReply,
    run: transitOperations.trimKey,
    with: ({ params, body }) => [params.name, body.min_available_version ?? 0],
    show: asData(keyWire),
  }),
  ...(['/export/:kind/:name', '/export/:kind/:name/:version'] as const).map((path) =>
    at({
      id: path.endsWith('version') ? 'transit.export-version' : 'transit.export-key',
      method: 'GET',
      path,
      summary: 'Read the material of an exportable key: encryption-key, signing-key, hmac-key or public-key',
      access: 'read',
      refusals: ['transit_key_unknown', 'transit_unsupported', 'transit_version_invalid'],
      reply: ExportReply,
      handle: async ({
        context,
        params,
      }): Promise<
        Reply | Refused<'transit_key_unknown' | 'transit_unsupported' | 'transit_version_invalid'>
      > => {
        const { kind, name } = params
        const key = await keyNow(context, name)
        if (key === undefined) return unknownKey()
        if (!isExported(kind))
          return refuse('transit_unsupported', `invalid export type: ${JSON.stringify(kind)}`)
        if (!key.exportable && kind !== 'public-key')
          return refuse('transit_unsupported', 'private key material is not exportable')
        if (!exported[kind](key))
          return refuse('transit_unsupported', `the key type ${key.type} has no ${kind}`)
        const asked = 'version' in params ? params['version'] : undefined
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
        return answerWith(context, {
          data: { name: key.name, type: key.type, keys: Object.fromEntries(keys) },
        })
      },
    }),
  ),
]
