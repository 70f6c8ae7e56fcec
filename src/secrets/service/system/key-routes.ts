import { fromHex, toBase64 } from '../../../crypto/index.ts'
import { reply, route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerTwice, type SecretsContext } from '../context.ts'
import { body, booleanField, integerField, listField } from '../fields.ts'
import { timeText } from '../kv/wire.ts'
import type { RekeyStatus, Verification } from '../seal/keys.ts'
import { ShareBody, shareOf, shareRefusals } from './key-share.ts'
import { KeyStatus, Rekey, Rekeyed, Verification as VerificationReply, Verified } from './replies.ts'

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

/** The routes about the keys of an open service: turning the ring, and changing the shares. */
export const keyRoutes = [
  at({
    id: 'sys.key-status',
    method: 'GET',
    path: '/key-status',
    summary: 'Say which key seals what is written now, and since when',
    description: '`encryptions` counts what this process sealed with it.',
    access: 'read',
    reply: KeyStatus,
    handle: ({ context }) => {
      const { term, installedAt, sealedCount } = context.services.keys.status()
      return answerTwice(context, { term, install_time: timeText(installedAt), encryptions: sealedCount })
    },
  }),
  at({
    id: 'sys.rotate',
    method: 'POST',
    path: '/rotate',
    summary: 'Seal what is written from now on with a new key; all the rest stays readable',
    access: 'update and sudo',
    success: 204,
    refusals: ['seal_changed'],
    handle: async ({ context }) => {
      const rotated = await context.services.keys.rotate()
      return rotated.ok ? { status: 204 } : rotated
    },
  }),
  at({
    id: 'sys.rekey-status',
    method: 'GET',
    path: '/rekey/init',
    summary: 'Say how far a change of the key shares has come',
    access: 'none',
    reply: Rekey,
    handle: async ({ context }) => reply(rekeyWire(await context.services.keys.rekeyStatus())),
  }),
  at({
    id: 'sys.rekey-start',
    method: 'POST',
    path: '/rekey/init',
    summary: 'Begin to change the key shares: the present ones are asked for next',
    access: 'none',
    body: RekeyBody,
    refusals: ['invalid_shares', 'rekey_under_way', 'pgp_unsupported'],
    reply: Rekey,
    handle: async ({ context, body: asked }) => {
      if (asked.pgp_keys?.length || asked.backup)
        return refuse('pgp_unsupported', 'encrypting the new shares with PGP keys is not supported')
      const started = await context.services.keys.startRekey({
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
    summary: 'Give up a change of the key shares',
    access: 'none',
    success: 204,
    handle: ({ context }) => {
      context.services.keys.cancelRekey()
      return { status: 204 }
    },
  }),
  at({
    id: 'sys.rekey-update',
    method: 'POST',
    path: '/rekey/update',
    summary: 'Give one of the present shares; the last one needed gives the new shares',
    access: 'none',
    body: ShareBody,
    refusals: [...shareRefusals, 'seal_changed', 'rekey_unverified'],
    reply: Rekey.or(Rekeyed),
    handle: async ({ context, body: given }) => {
      const share = shareOf(given)
      if (!share.ok) return share
      const taken = await context.services.keys.giveShare(share.value)
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
    summary: 'Refuse: new shares are told once, and kept nowhere',
    access: 'read and sudo',
    refusals: ['no_rekey_backup'],
    handle: () => refuse('no_rekey_backup', 'no backed-up keys found'),
  }),
  at({
    id: 'sys.delete-rekey-backup',
    method: 'DELETE',
    path: '/rekey/backup',
    summary: 'Delete what was kept of new shares: there is never any',
    access: 'delete and sudo',
    success: 204,
    handle: () => ({ status: 204 }),
  }),
  at({
    id: 'sys.rekey-verify-status',
    method: 'GET',
    path: '/rekey/verify',
    summary: 'Say how many of the new shares were proved',
    access: 'none',
    refusals: ['attempt_not_started'],
    reply: VerificationReply,
    handle: async ({ context }) => {
      const { verification } = await context.services.keys.rekeyStatus()
      return verification ? reply(verificationWire(verification)) : noVerification()
    },
  }),
  at({
    id: 'sys.rekey-verify',
    method: 'POST',
    path: '/rekey/verify',
    summary: 'Give one of the new shares to prove it; with the last one needed the new shares count',
    access: 'none',
    body: ShareBody,
    refusals: [...shareRefusals, 'seal_changed'],
    reply: VerificationReply.or(Verified),
    handle: async ({ context, body: given }) => {
      const share = shareOf(given)
      if (!share.ok) return share
      const taken = await context.services.keys.verifyShare(share.value)
      if (!taken.ok) return taken
      const { verification, complete } = taken.value
      return reply(complete ? { complete, nonce: verification.nonce } : verificationWire(verification))
    },
  }),
  at({
    id: 'sys.rekey-verify-restart',
    method: 'DELETE',
    path: '/rekey/verify',
    summary: 'Forget the new shares given so far, and prove them under another nonce',
    access: 'none',
    refusals: ['attempt_not_started'],
    reply: VerificationReply,
    handle: async ({ context }) => {
      const status = await context.services.keys.restartVerification()
      return status.ok ? reply(verificationWire(status.value.verification)) : status
    },
  }),
]
