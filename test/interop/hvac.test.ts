import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { serve } from '../../src/http/node/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { commandOf, hvac, needing } from '../programs.ts'

const run = promisify(execFile)

it(
  ...needing('hvac works with key/value secrets, mounts, policies, tokens, leases, keys and the seal', hvac),
  async () => {
    const errors: unknown[] = []
    const { service, rootToken, unsealKeys } = await devSecrets({
      onError: (error) => errors.push(error),
    })
    const listening = await serve({ fetch: service.fetch })
    try {
      const script = fileURLToPath(new URL('hvac-session.py', import.meta.url))
      const { stdout } = await run(commandOf(hvac) ?? '', [script, listening.url, rootToken], {
        env: { ...process.env, UNSEAL_KEYS: unsealKeys.join(',') },
      })
      expect(stdout.trim().split('\n')).toEqual([
        'status: initialised, unsealed, healthy',
        'kv v2: write, cas, patch, versions, list, delete, undelete, destroy, metadata, config',
        'kv v1: write, replace, ttl, list, delete',
        'generic: write, read, list, delete',
        'mounts: enable, tune, conflict, move, upgrade, disable',
        'policies: write, list, read, refuse',
        'tokens: create, use, lookup, renew, roles, accessors, revoke',
        'leases: list, lookup, revoke, revoke by prefix',
        'keys: rotate, status, rekey, root token',
        'seal: seal, refuse, unseal, read on',
      ])
      expect(errors).toEqual([])
    } finally {
      await listening.close({ drainMs: 500 })
      await service.close()
    }
  },
)
