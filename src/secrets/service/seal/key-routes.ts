import { fromHex, toBase64 } from '../../../crypto/index.ts'
import { reply, route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerTwice, type SecretsContext } from '../core/context.ts'
import { body, booleanField, integerField, listField } from '../core/fields.ts'
import { timeText } from '../core/time-text.ts'
import { ShareBody, shareOf, shareRefusals } from './key-share.ts'
import type { RekeyStatus, Verification } from './keys.ts'
import { keysOf } from './keys.ts'
import { KeyStatus, Rekey, Rekeyed, Verification as VerificationReply, Verified } from './wire.ts'

const at = route<SecretsContext>()

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

const verificationWire = (verification: Verification | undefined) => ({
  n: verification?.shares ?? 0,
  nonce: verification?.nonce ?? '',
  progress: verification?.given.length ?? 0,
  started: verification !== undefined,
  t: verification?.threshold ?? 0,
})

const noVerification = () => refuse('attempt_not_started', 'no rekey verification in progress')

/** The routes about the keys of an unsealed service: rotating the ring, and changing the shares. */
export const keyRoutes = [
  at({
    id: 'sys.key-status',
    method: 'GET',
    path: '/key-status',
    summary: 'Read the term and creation time of the current encryption key',
    description: '`encryptions` counts the encryptions of this process with it.',
    access: 'read',
    reply: KeyStatus,
    handle: ({ context }) => {
      const { term, installedAt, sealedCount } = keysOf(context.core).status()
      return answerTwice(context, { term, install_time: timeText(installedAt), encryptions: sealedCount })
    },
  }),
  at({
    id: 'sys.rotate',
    method: 'POST',
    path: '/rotate',
    summary: 'Rotate the encryption key: new writes use a new key, older data stays readable',
    access: 'update and sudo',
    success: 204,
    refusals: ['seal_changed'],
    handle: async ({ context }) => {
      const rotated = await keysOf(context.core).rotate()
      return rotated.ok ? { status: 204 } : rotated
    },
  }),
  at({
    id: 'sys.rekey-status',
    method: 'GET',
    path: '/rekey/init',
    summary: 'Read the progress of a rekey',
    access: 'none',
    reply: Rekey,
    handle: async ({ context }) => reply(rekeyWire(await keysOf(context.core).rekeyStatus())),
  }),
  at({
    id: 'sys.rekey-start',
    method: 'POST',
    path: '/rekey/init',
    summary: 'Start a rekey; the next calls provide the current key shares',
    access: 'none',
    body: RekeyBody,
    refusals: ['invalid_shares', 'rekey_under_way', 'pgp_unsupported'],
    reply: Rekey,
    handle: async ({ context, body: asked }) => {
      if (asked.pgp_keys?.length || asked.backup)
        return refuse('pgp_unsupported', 'encrypting the new shares with PGP keys is not supported')
      const started = await keysOf(context.core).startRekey({
        shares: asked.secret_shares ?? 0,
        threshold: asked.secret_threshold ?? 0,
        verify: asked.require_verification,
      })
      return started.ok ? reply(rekeyWire(started.value)) : started
    },
  }),
  at({
    id: 'sys.rekey-cancel',
    method: 'DELETE',
    path: '/rekey/init',
    summary: 'Cancel a rekey',
    access: 'none',
    success: 204,
    handle: ({ context }) => {
      keysOf(context.core).cancelRekey()
      return { status: 204 }
    },
  }),
  at({
    id: 'sys.rekey-update',
    method: 'POST',
    path: '/rekey/update',
    summary: 'Provide a current key share; the last one needed returns the new shares',
    access: 'none',
    body: ShareBody,
    refusals: [...shareRefusals, 'seal_changed', 'rekey_unverified'],
    reply: Rekey.or(Rekeyed),
    handle: async ({ context, body: given }) => {
      const share = shareOf(given)
      if (!share.ok) return share
      const taken = await keysOf(context.core).giveShare(share.value)
      if (!taken.ok) return taken
      const { status, newKeys } = taken.value
      if (newKeys === undefined) return reply(rekeyWire(status))
      return reply({
        backup: false,
        complete: true,
        keys: newKeys,
        keys_base64: newKeys.map((key) => toBase64(fromHex(key) ?? new Uint8Array())),
        nonce: status.rekey?.nonce ?? '',
        pgp_fingerprints: null,
        verification_required: status.verification !== undefined,
        ...(status.verification ? { verification_nonce: status.verification.nonce } : {}),
      })
    },
  }),
  at({
    id: 'sys.rekey-backup',
    method: 'GET',
    path: '/rekey/backup',
    summary: 'Refused: new key shares are returned once and not stored',
    access: 'read and sudo',
    refusals: ['no_rekey_backup'],
    handle: () => refuse('no_rekey_backup', 'no backed-up keys found'),
  }),
  at({
    id: 'sys.delete-rekey-backup',
    method: 'DELETE',
    path: '/rekey/backup',
    summary: 'Delete backed-up key shares; there are never any',
    access: 'delete and sudo',
    success: 204,
    handle: () => ({ status: 204 }),
  }),
  at({
    id: 'sys.rekey-verify-status',
    method: 'GET',
    path: '/rekey/verify',
    summary: 'Read the progress of a rekey verification',
    access: 'none',
    refusals: ['attempt_not_started'],
    reply: VerificationReply,
    handle: async ({ context }) => {
      const { verification } = await keysOf(context.core).rekeyStatus()
      return verification ? reply(verificationWire(verification)) : noVerification()
    },
  }),
  at({
    id: 'sys.rekey-verify',
    method: 'POST',
    path: '/rekey/verify',
    summary: 'Provide a new key share for verification; the last one needed activates the new shares',
    access: 'none',
    body: ShareBody,
    refusals: [...shareRefusals, 'seal_changed'],
    reply: VerificationReply.or(Verified),
    handle: async ({ context, body: given }) => {
      const share = shareOf(given)
      if (!share.ok) return share
      const taken = await keysOf(context.core).verifyShare(share.value)
      if (!taken.ok) return taken
      const { verification, complete } = taken.value
      return reply(complete ? { complete, nonce: verification.nonce } : verificationWire(verification))
    },
  }),
  at({
    id: 'sys.rekey-verify-restart',
    method: 'DELETE',
    path: '/rekey/verify',
    summary: 'Restart the verification of the new key shares with another nonce',
    access: 'none',
    refusals: ['attempt_not_started'],
    reply: VerificationReply,
    handle: async ({ context }) => {
      const status = await keysOf(context.core).restartVerification()
      return status.ok ? reply(verificationWire(status.value.verification)) : status
    },
  }),
]
