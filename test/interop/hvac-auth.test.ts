import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { lineFile, serve } from '../../src/http/node/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { commandOf, hvac, needing } from '../programs.ts'

const run = promisify(execFile)

it(...needing('hvac works with userpass, approle, audit, identity and transit', hvac), async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plinth-hvac-'))
  const log = join(folder, 'audit.log')
  const file = await lineFile(log)
  const errors: unknown[] = []
  const { service, rootToken } = await devSecrets({
    audit: [{ path: 'file/', sink: file }],
    onError: (error) => errors.push(error),
  })
  const listening = await serve({ fetch: service.fetch })
  try {
    const script = fileURLToPath(new URL('hvac-auth-session.py', import.meta.url))
    const { stdout } = await run(commandOf(hvac) ?? '', [script, listening.url, rootToken, log])
    expect(stdout.trim().split('\n')).toEqual([
      'userpass: users, login, refuse, password, delete',
      'approle: roles, role ID, secret IDs, login, uses, accessors, custom, destroy',
      'audit: list, hash, log, refuse',
      'identity: entity, group, template, alias, lookup, merge, nest, delete',
      'transit: keys, encrypt, rotate, rewrap, batch, trim, data key, hmac, sign, export, delete',
    ])
    expect(errors).toEqual([])
  } finally {
    await listening.close({ drainMs: 500 })
    await service.close()
    await file.close()
    await rm(folder, { recursive: true })
  }
})
