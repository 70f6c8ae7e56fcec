import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serve } from '../../src/http/node/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { needing, terraform } from '../programs.ts'
import { listeningProvider, providerKey } from '../support/identity-provider.ts'

const host = 'modules.test'

describe(...needing('terraform login', terraform), () => {
  it('ends with a token of the registry, after a sign-in at the identity provider', async () => {
    const home = mkdtempSync(join(tmpdir(), 'plinth-login-'))
    mkdirSync(join(home, '.terraform.d'))
    const provider = await listeningProvider({
      now: Date.now,
      client: { id: 'modules', secret: 's3cret' },
      keys: [providerKey('first', 'RS256')],
    })
    provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['platform'] }
    const registry = createRegistry({
      oidc: {
        issuer: provider.issuer,
        clientId: 'modules',
        clientSecret: 's3cret',
        groups: { platform: ['acme'] },
      },
    })
    const listening = await serve({ fetch: registry.fetch, port: 0 })
    try {
      const at = `${listening.url}/.well-known/terraform.json`
      const discovery = (await (await fetch(at)).json()) as { 'login.v1': Record<string, unknown> }
      const login = discovery['login.v1']
      const absolute = (path: unknown) => new URL(String(path), at).href
      // In the configuration of the client, so that it needs no TLS.
      const config = join(home, 'cli.tfrc')
      const service = `authz = "${absolute(login['authz'])}", token = "${absolute(login['token'])}"`
      const more = `client = "${login['client']}", grant_types = ["authz_code"], ports = ${JSON.stringify(login['ports'])}`
      writeFileSync(config, `host "${host}" {\n  services = { "login.v1" = { ${service}, ${more} } }\n}\n`)
      const program = execFileSync('sh', ['-c', 'command -v terraform'], { encoding: 'utf8' }).trim()
      const child = spawn(program, ['login', host], {
        cwd: home,
        // Without programs on the path, no browser is opened.
        env: { PATH: '/nonexistent', HOME: home, TF_CLI_CONFIG_FILE: config, CHECKPOINT_DISABLE: '1' },
      })
      child.stdin.end('yes\n')
      let output = ''
      const address = new Promise<string>((resolve, reject) => {
        const read = (text: unknown) => {
          output += String(text)
          const found = /http:\S+\/plinth\/v1\/login\/authorize\S+/.exec(output)?.[0]
          if (found) resolve(found)
        }
        child.stdout.on('data', read)
        child.stderr.on('data', read)
        child.on('close', () => reject(new Error(output)))
      })
      const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
      const toProvider = await fetch(await address, { redirect: 'manual' })
      const back = await provider.signIn(toProvider.headers.get('location') ?? '')
      const toClient = await fetch(back, { redirect: 'manual' })
      // Terraform may end before it has answered the browser: what it has stored tells whether it got the code.
      await fetch(toClient.headers.get('location') ?? '').catch(() => undefined)
      expect([await closed, output]).toEqual([0, expect.stringContaining('has obtained')])
      const stored = JSON.parse(readFileSync(join(home, '.terraform.d/credentials.tfrc.json'), 'utf8'))
      const token: string = stored.credentials[host].token
      const [made] = await registry.listTokens()
      expect(made).toMatchObject({ name: 'ada-example.com', namespaces: ['acme'] })
      expect(await registry.findPublisher(token)).toMatchObject({ namespaces: ['acme'] })
    } finally {
      await listening.close()
      await provider.close()
      await registry.close()
      rmSync(home, { recursive: true, force: true })
    }
  })
})
