import { fromHex, toBase64 } from '../../../crypto/index.ts'
import { reply } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { nothing } from '../../../operation/operation.ts'
import { answerTwice, operationRoute } from '../core/context.ts'
import { body, booleanField, integerField, listField } from '../core/fields.ts'
import { timeText } from '../core/time-text.ts'
import { ShareBody, shareOf } from './key-share.ts'
import type { RekeyStatus, Verification } from './keys.ts'
import { keyOperations } from './keys.ts'

import { KeyStatus, Rekey, Rekeyed, Verification as VerificationReply, Verified } from './wire.ts'

const RekeyBody = body({
  secret_shares: integerField,
  secret_threshold: integerField,
  pgp_keys: listField,
  backup: booleanField,
  require_verification: booleanField,
})

const rekeyWire = ({ rekey, verification, required }: RekeyStatus) => ({
  backup: false,
  n: rekey?.shares ?? 0,
  nonce: rekey?.nonce ?? '',
  pgp_fingerprints: null,
  progress: rekey?.given.length ?? 0,
  required,
  started: rekey !== undefined,
  t: rekey?.threshold ?? 0,
  verification_required: rekey?.verify ?? false,
  ...(verification ? { verification_nonce: verification.nonce } : {}),
})

const verificationWire = ({ shares, nonce, given, threshold }: Verification) => ({
  n: shares,
  nonce,
  progress: given.length,
  started: true,
  t: threshold,
})

/** The routes about the keys of an unsealed service: rotating the ring, and changing the shares. */
export const keyRoutes = [
  operationRoute({
    id: 'sys.key-status',
    method: 'GET',
    path: '/key-status',
    summary: 'Read the term and creation time of the current encryption key',
    description: '`encryptions` counts the encryptions of this process with it.',
    access: 'read',
    reply: KeyStatus,
    run: keyOperations.status,
    show: ({ term, installedAt, sealedCount }, { context }) =>
      answerTwice(context, { term, install_time: timeText(installedAt), encryptions: sealedCount }),
  }),
  operationRoute({
    id: 'sys.rotate',
    method: 'POST',
    path: '/rotate',
    summary: 'Rotate the encryption key: new writes use a new key, older data stays readable',
    access: 'update and sudo',
    run: keyOperations.rotate,
  }),
  operationRoute({
    id: 'sys.rekey-status',
    method: 'GET',
    path: '/rekey/init',
    summary: 'Read the progress of a rekey',
    access: 'none',
    reply: Rekey,
    run: keyOperations.rekeyStatus,
    show: (status) => reply(rekeyWire(status)),
  }),
  operationRoute({
    id: 'sys.rekey-start',
    method: 'POST',
    path: '/rekey/init',
    summary: 'Start a rekey; the next calls provide the current key shares',
    access: 'none',
    body: RekeyBody,
    refusals: ['pgp_unsupported'],
    reply: Rekey,
    run: keyOperations.startRekey,
    with: ({ body: asked }) =>
      asked.pgp_keys?.length || asked.backup
        ? refuse('pgp_unsupported', 'encrypting the new shares with PGP keys is not supported')
        : [
            {
              shares: asked.secret_shares ?? 0,
              threshold: asked.secret_threshold ?? 0,
              verify: asked.require_verification,
            },
          ],
    show: (status) => reply(rekeyWire(status)),
  }),
  operationRoute({
    id: 'sys.rekey-cancel',
    method: 'DELETE',
    path: '/rekey/init',
    summary: 'Cancel a rekey',
    access: 'none',
    run: keyOperations.cancelRekey,
  }),
  operationRoute({
    id: 'sys.rekey-update',
    method: 'POST',
    path: '/rekey/update',
    summary: 'Provide a current key share; the last one needed returns the new shares',
    access: 'none',
    body: ShareBody,
    refusals: ['unseal_key_missing'],
    reply: Rekey.or(Rekeyed),
    run: keyOperations.giveShare,
    with: ({ body }) => shareOf(body),
    show: ({ status, newKeys }) =>
      reply(
        newKeys === undefined
          ? rekeyWire(status)
          : {
              backup: false,
              complete: true,
              keys: newKeys,
              keys_base64: newKeys.map((key) => toBase64(fromHex(key) ?? new Uint8Array())),
              nonce: status.rekey?.nonce ?? '',
              pgp_fingerprints: null,
              verification_required: status.verification !== undefined,
              ...(status.verification ? { verification_nonce: status.verification.nonce } : {}),
            },
      ),
  }),
  operationRoute({
    id: 'sys.rekey-backup',
    method: 'GET',
    path: '/rekey/backup',
    summary: 'Refused: new key shares are returned once and not stored',
    access: 'read and sudo',
    run: keyOperations.readBackup,
  }),
  operationRoute({
    id: 'sys.delete-rekey-backup',
    method: 'DELETE',
    path: '/rekey/backup',
    summary: 'Delete backed-up key shares; there are never any',
    access: 'delete and sudo',
    run: nothing,
  }),
  operationRoute({
    id: 'sys.rekey-verify-status',
    method: 'GET',
    path: '/rekey/verify',
    summary: 'Read the progress of a rekey verification',
    access: 'none',
    reply: VerificationReply,
    run: keyOperations.verification,
    show: (verification) => reply(verificationWire(verification)),
  }),
  operationRoute({
    id: 'sys.rekey-verify',
    method: 'POST',
    path: '/rekey/verify',
    summary: 'Provide a new key share for verification; the last one needed activates the new shares',
    access: 'none',
    body: ShareBody,
    refusals: ['unseal_key_missing'],
    reply: VerificationReply.or(Verified),
    run: keyOperations.verifyShare,
    with: ({ body }) => shareOf(body),
    show: ({ verification, complete }) =>
      reply(complete ? { complete, nonce: verification.nonce } : verificationWire(verification)),
  }),
  operationRoute({
    id: 'sys.rekey-verify-restart',
    method: 'DELETE',
    path: '/rekey/verify',
    summary: 'Restart the verification of the new key shares with another nonce',
    access: 'none',
    reply: VerificationReply,
    run: keyOperations.restartVerification,
    show: (verification) => reply(verificationWire(verification)),
  }),
]
