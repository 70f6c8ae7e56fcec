import { reply, route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import type { SecretsContext } from '../core/context.ts'
import { body, textField } from '../core/fields.ts'
import { ShareBody, shareOf } from './key-share.ts'
import { shareRefusals } from './keys.ts'

import type { RootGenerationStatus } from './root-generation.ts'
import { rootGenerationOf } from './root-generation.ts'
import { RootGeneration } from './wire.ts'

const at = route<SecretsContext>()

const AttemptBody = body({ otp: textField, pgp_key: textField })

const wire = ({ generation, required, tokenLength, hidden = '' }: RootGenerationStatus, otp = '') => {
  // Without padding, as clients of this answer decode it.
  const encoded = hidden.replace(/=+$/, '')
  return {
    complete: hidden !== '',
    encoded_root_token: encoded,
    encoded_token: encoded,
    nonce: generation?.nonce ?? '',
    otp,
    otp_length: tokenLength,
    pgp_fingerprint: '',
    progress: generation?.given.length ?? 0,
    required,
    started: generation !== undefined,
  }
}

/** The routes by which holders of key shares generate a new root token. */
export const rootRoutes = [
  ...(['/generate-root/attempt', '/generate-root'] as const).map((path) =>
    at({
      id: path === '/generate-root' ? 'sys.root-status' : 'sys.root-attempt-status',
      method: 'GET',
      path,
      summary: 'Read the progress of a root token generation',
      access: 'none',
      reply: RootGeneration,
      handle: async ({ context }) => reply(wire(await rootGenerationOf(context.core).status())),
    }),
  ),
  at({
    id: 'sys.root-start',
    method: 'POST',
    path: '/generate-root/attempt',
    summary:
      'Start a root token generation; the answer contains the one-time password that encrypts the token',
    access: 'none',
    body: AttemptBody,
    refusals: ['root_generation_under_way', 'otp_length', 'pgp_unsupported'],
    reply: RootGeneration,
    handle: async ({ context, body: asked }) => {
      if (asked.pgp_key)
        return refuse('pgp_unsupported', 'encrypting the new root token with a PGP key is not supported')
      const started = await rootGenerationOf(context.core).start(asked.otp)
      if (!started.ok) return started
      return reply(wire(started.value, asked.otp ? '' : started.value.generation?.otp))
    },
  }),
  at({
    id: 'sys.root-cancel',
    method: 'DELETE',
    path: '/generate-root/attempt',
    summary: 'Cancel a root token generation',
    access: 'none',
    success: 204,
    handle: ({ context }) => {
      rootGenerationOf(context.core).cancel()
      return { status: 204 }
    },
  }),
  at({
    id: 'sys.root-update',
    method: 'POST',
    path: '/generate-root/update',
    summary:
      'Provide a key share; the last one needed returns the token, XOR the one-time password, in base64',
    access: 'none',
    body: ShareBody,
    refusals: ['unseal_key_missing', ...shareRefusals],
    reply: RootGeneration,
    handle: async ({ context, body: given }) => {
      const share = shareOf(given)
      if ('ok' in share) return share
      const taken = await rootGenerationOf(context.core).giveShare(...share)
      return taken.ok ? reply(wire(taken.value)) : taken
    },
  }),
]
