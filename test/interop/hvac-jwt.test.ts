import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { serve } from '../../src/http/node/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { commandOf, hvac, needing } from '../programs.ts'
import { listeningProvider, providerKey } from '../support/identity-provider.ts'

const run = promisify(execFile)

it(...needing('hvac logs in with tokens of an identity provider and with a browser', hvac), async () => {
  const errors: unknown[] = []
  const provider = await listeningProvider({
    now: Date.now,
    client: { id: 'vault', secret: 's3cret' },
    keys: [providerKey('first', 'RS256')],
  })
  provider.person = { sub: 'ada', groups: ['dev'] }
  const { service, rootToken } = await devSecrets({ onError: (error) => errors.push(error) })
  const listening = await serve({ fetch: service.fetch })
  try {
    const script = fileURLToPath(new URL('hvac-jwt-session.py', import.meta.url))
    const jwt = provider.token({ sub: 'job', aud: 'vault', repository: 'acme/web' })
    const { stdout } = await run(commandOf(hvac) ?? '', [
      script,
      listening.url,
      rootToken,
      provider.issuer,
      jwt,
    ])
    expect(stdout.trim().split('\n')).toEqual([
      'jwt: configure, roles, log in, refuse',
      'oidc: configure, start, finish, once',
    ])
    expect(errors).toEqual([])
  } finally {
    await listening.close({ drainMs: 500 })
    await service.close()
    await provider.close()
  }
})
