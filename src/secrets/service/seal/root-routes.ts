import { reply } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { operationRoute } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { body, textField } from '../core/fields.ts'
import { ShareBody, shareOf } from './key-share.ts'
import { type RootGenerationStatus, rootGenerationOperations, rootTokenLength } from './root-generation.ts'
import { RootGeneration } from './wire.ts'

const AttemptBody = body({ otp: textField, pgp_key: textField })

const wire = (core: Core, { generation, required, hidden = '' }: RootGenerationStatus, otp = '') => {
  // Without padding, as clients of this answer decode it.
  const encoded = hidden.replace(/=+$/, '')
  return {
    complete: hidden !== '',
    encoded_root_token: encoded,
    encoded_token: encoded,
    nonce: generation?.nonce ?? '',
    otp,
    otp_length: rootTokenLength(core),
    pgp_fingerprint: '',
    progress: generation?.given.length ?? 0,
    required,
    started: generation !== undefined,
  }
}

/** The routes by which holders of key shares generate a new root token. */
export const rootRoutes = [
  ...(['/generate-root/attempt', '/generate-root'] as const).map((path) =>
    operationRoute({
      id: path === '/generate-root' ? 'sys.root-status' : 'sys.root-attempt-status',
      method: 'GET',
      path,
      summary: 'Read the progress of a root token generation',
      access: 'none',
      reply: RootGeneration,
      run: rootGenerationOperations.status,
      show: (status, { context }) => reply(wire(context.core, status)),
    }),
  ),
  operationRoute({
    id: 'sys.root-start',
    method: 'POST',
    path: '/generate-root/attempt',
    summary:
      'Start a root token generation; the answer contains the one-time password that encrypts the token',
    access: 'none',
    body: AttemptBody,
    refusals: ['pgp_unsupported'],
    reply: RootGeneration,
    run: rootGenerationOperations.start,
    with: ({ body: asked }) =>
      asked.pgp_key
        ? refuse('pgp_unsupported', 'encrypting the new root token with a PGP key is not supported')
        : [asked.otp],
    show: (status, { body: asked, context }) =>
      reply(wire(context.core, status, asked.otp ? '' : status.generation?.otp)),
  }),
  operationRoute({
    id: 'sys.root-cancel',
    method: 'DELETE',
    path: '/generate-root/attempt',
    summary: 'Cancel a root token generation',
    access: 'none',
    run: rootGenerationOperations.cancel,
  }),
  operationRoute({
    id: 'sys.root-update',
    method: 'POST',
    path: '/generate-root/update',
    summary:
      'Provide a key share; the last one needed returns the token, XOR the one-time password, in base64',
    access: 'none',
    body: ShareBody,
    refusals: ['unseal_key_missing'],
    reply: RootGeneration,
    run: rootGenerationOperations.giveShare,
    with: ({ body }) => shareOf(body),
    show: (status, { context }) => reply(wire(context.core, status)),
  }),
]
