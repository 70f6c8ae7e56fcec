import { refuse } from '../../../kernel/index.ts'
import { asData, asKeys, operationRoute } from '../core/context.ts'
import { body, booleanField, integerField, textField } from '../core/fields.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { transitExport } from './export-key.ts'
import { transitOperations } from './operations.ts'
import { BackupReply, ExportReply, KeyReply, keyWire } from './wire.ts'

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
  allow_plaintext_backup: booleanField,
})
const RestoreBody = body({ backup: textField, force: booleanField })
const TrimBody = body({ min_available_version: integerField })

/** The routes of keys, relative to their mount. */
export const transitKeyRoutes = [
  operationRoute({
    id: 'transit.keys',
    method: 'LIST',
    path: '/keys',
    summary: 'List the keys',
    access: 'list',
    ...listsKeys,
    run: transitOperations.listKeys,
    show: asKeys,
  }),
  operationRoute({
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
  operationRoute({
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
      body.convergent_encryption
        ? refuse('transit_unsupported', 'convergent keys are not supported')
        : [
            params.name,
            {
              type: body.type,
              exportable: body.exportable,
              derived: body.derived,
              allowPlaintextBackup: body.allow_plaintext_backup,
            },
          ],
    show: asData(keyWire),
  }),
  operationRoute({
    id: 'transit.delete-key',
    method: 'DELETE',
    path: '/keys/:name',
    summary: 'Delete a key that allows deletion; data encrypted with it is lost',
    access: 'delete',
    run: transitOperations.deleteKey,
    with: ({ params }) => [params.name],
  }),
  operationRoute({
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
  operationRoute({
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
        allowPlaintextBackup: body.allow_plaintext_backup,
      },
    ],
    show: asData(keyWire),
  }),
  operationRoute({
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
  operationRoute({
    id: 'transit.backup-key',
    method: 'GET',
    path: '/backup/:name',
    summary: 'Read a key with all its versions as text, if its settings allow that',
    access: 'read',
    reply: BackupReply,
    run: transitOperations.backupKey,
    with: ({ params }) => [params.name],
    show: asData((backup) => ({ backup })),
  }),
  ...(['/restore', '/restore/:name'] as const).map((path) =>
    operationRoute({
      id: path === '/restore' ? 'transit.restore-key' : 'transit.restore-key-as',
      method: 'POST',
      path,
      summary: 'Restore a key from its backup; "force" replaces an existing one',
      access: 'update',
      body: RestoreBody,
      run: transitOperations.restoreKey,
      with: ({ params, body }) => [
        body.backup ?? '',
        { name: 'name' in params ? params['name'] : undefined, force: body.force },
      ],
    }),
  ),
  ...(['/export/:kind/:name', '/export/:kind/:name/:version'] as const).map((path) =>
    operationRoute({
      id: path.endsWith('version') ? 'transit.export-version' : 'transit.export-key',
      method: 'GET',
      path,
      summary: 'Read the material of an exportable key: encryption-key, signing-key, hmac-key or public-key',
      access: 'read',
      reply: ExportReply,
      run: transitExport,
      with: ({ params }) => [params.kind, params.name, 'version' in params ? params['version'] : undefined],
      show: asData((exported) => exported),
    }),
  ),
]
