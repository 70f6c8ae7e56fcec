import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { nodeCrypto, totp } from '../../src/crypto/index.ts'
import { serve } from '../../src/http/node/index.ts'
import { unwrap } from '../../src/kernel/index.ts'
import { testClock } from '../../src/testing/index.ts'
import { commandOf, needing, vagrantCloudGem } from '../programs.ts'

const run = promisify(execFile)

it(...needing('the gem vagrant_cloud works with every call that it has', vagrantCloudGem), async () => {
  const errors: unknown[] = []
  const clock = testClock()
  const code = totp(nodeCrypto(), new TextEncoder().encode('12345678901234567890'), clock.now())
  const catalog = createCatalog({
    env: clock.env,
    onError: (error) => errors.push(error),
  })
  unwrap(await catalog.putUser({ username: 'alice', password: 'correct horse' }))
  unwrap(
    await catalog.putUser({
      username: 'tess',
      password: 'pass word',
      totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    }),
  )
  const listening = await serve({ fetch: catalog.fetch })
  try {
    const script = fileURLToPath(new URL('vagrant-cloud-session.rb', import.meta.url))
    const { stdout } = await run(commandOf(vagrantCloudGem) ?? '', [script, listening.url, code])
    expect(stdout.trim().split('\n')).toEqual([
      'token: create, wrong password, two factors, with a code, validate, delete, is gone',
      'box: create, exists, get, update, save with its versions and providers, delete its parts and itself, delete, is gone',
      'organization: get, of the account',
      'version: create, exists, get, update, nothing to release, release, release and revoke, revoke, delete',
      'provider: create, exists, get, upload, upload directly, update, delete, is gone, download, upload a file, twice',
      'search: by words, provider and order, nothing, pages',
      'account: validate the token, create a token',
    ])
    expect(errors).toEqual([])
  } finally {
    await listening.close({ drainMs: 0 })
    await catalog.close()
  }
})
