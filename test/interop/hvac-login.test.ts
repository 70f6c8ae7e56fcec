import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { serve } from '../../src/http/node/index.ts'
import { devSecrets } from '../../src/secrets/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { commandOf, hvac, needing } from '../programs.ts'

const run = promisify(execFile)

it(...needing('hvac works with logins, wrapped answers, namespaces and cubbyholes', hvac), async () => {
  const errors: unknown[] = []
  const { service, rootToken } = await devSecrets({
    idpWords: ['idp', 'okta'],
    idpProvider: scriptedProvider({ users: { ada: { password: 'hunter2', groups: ['Dev'] } } }),
    onError: (error) => errors.push(error),
  })
  const listening = await serve({ fetch: service.fetch })
  try {
    const script = fileURLToPath(new URL('hvac-login-session.py', import.meta.url))
    const { stdout } = await run(commandOf(hvac) ?? '', [script, listening.url, rootToken])
    expect(stdout.trim().split('\n')).toEqual([
      'login: configure, users, groups, refuse, log in, renew',
      'wrapping: wrap, unwrap, once',
      'namespaces: create, list, isolate, delete',
      'cubbyhole: write, read, list, delete',
    ])
    expect(errors).toEqual([])
  } finally {
    await listening.close({ drainMs: 500 })
    await service.close()
  }
})
