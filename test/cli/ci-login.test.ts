import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shellIn, stepsOf } from '../docs/walk.ts'
import { listeningProvider, providerKey } from '../support/identity-provider.ts'
import { folder, killAll, plinth, removeFolders, run, type Server, start } from './server.ts'

/** The page about logins of CI jobs: its commands run as they stand, with a provider of this test. */
const page = 'site/guide/log-in-from-ci.md'
const audience = 'https://vault.example.com'

let server: Server
let provider: Awaited<ReturnType<typeof listeningProvider>>
let address: Record<string, string>

beforeAll(async () => {
  provider = await listeningProvider({
    now: Date.now,
    client: { id: 'vault', secret: 's3cret' },
    keys: [providerKey('first', 'RS256')],
  })
  server = await start('--only', 'secrets', '--root-token', 'root')
  address = { SECRETS_ADDR: server.ready.secrets?.url ?? '' }
  const shell = shellIn(folder(), { ...address, SECRETS_TOKEN: 'root' })
  const here = (commands: string) =>
    commands
      .replaceAll(
        /https:\/\/(?:token\.actions\.githubusercontent\.com|gitlab\.com|id\.example\.com)/g,
        provider.issuer,
      )
      .replaceAll('oidc_client_secret=…', 'oidc_client_secret=s3cret')
      .replace('plinth login -method=oidc\n', '')
  for (const { commands } of stepsOf(page))
    expect(await shell(here(commands)), commands).toMatchObject({ code: 0 })
})

afterAll(async () => {
  killAll()
  removeFolders()
  await provider.close()
})

const logIn = (...args: readonly string[]) => run(['login', '-token-only', ...args], address)
const token = /^s\.[A-Za-z0-9]{24,}\n$/

describe('a CI job signs in', () => {
  it('of GitHub Actions, of this repository and branch only', async () => {
    const job = { repository: 'acme/web', ref: 'refs/heads/main', aud: audience }
    const as = (claims: object) =>
      logIn('-method=jwt', '-path=github', 'role=deploy', `jwt=${provider.token(claims)}`)
    const done = await as(job)
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(token)])
    const fork = await as({ ...job, repository: 'eve/web' })
    expect([fork.code, fork.stdout]).toEqual([1, ''])
    expect(fork.stderr).toContain('claim "repository" does not match any associated bound claim values')
  })
  it('of GitLab, with the token on standard input', async () => {
    const job = { project_path: 'acme/web', ref_protected: 'true', aud: audience }
    const given = ['login', '-token-only', '-method=jwt', '-path=gitlab', 'role=deploy']
    const done = await run(given, address, `${provider.token(job)}\n`)
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(token)])
    const other = await run(given, address, provider.token({ ...job, ref_protected: 'false' }))
    expect(other.code).toBe(1)
  })
})

describe('a person signs in with a browser', () => {
  /** Starts the command, and signs in at the address that it prints. */
  const signIn = async (change: (back: URL) => void = () => {}) => {
    const command = plinth(['login', '-method=oidc', '-token-only', 'port=0', 'skip_browser=true'], address)
    command.child.stdin.end()
    const url = await new Promise<string>((resolve, reject) => {
      command.child.stderr.on('data', () => {
        const found = /http:\S+\/authorize\S+/.exec(command.output().stderr)?.[0]
        if (found) resolve(found)
      })
      void command.exited.then(() => reject(new Error(command.output().stderr)))
    })
    const back = await provider.signIn(url)
    change(back)
    const shown = await (await fetch(back)).text()
    return { shown, code: await command.exited, ...command.output() }
  }
  it('and the command prints a token', async () => {
    provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['dev'] }
    const done = await signIn()
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(token)])
    expect(done.shown).toBe('You are signed in. You can close this window.\n')
  })
  it('but not with a forged callback', async () => {
    provider.person = { sub: 'ada', email: 'ada@example.com', groups: ['dev'] }
    const done = await signIn((back) => back.searchParams.set('state', 'forged'))
    expect([done.code, done.stdout]).toEqual([1, ''])
    expect(done.stderr).toContain('expired or missing OAuth state')
    expect(done.shown).toBe('The login failed. See the terminal.\n')
  })
  it('nor if the provider refuses', async () => {
    provider.person = undefined
    const done = await signIn()
    expect([done.code, done.stderr]).toEqual([
      1,
      expect.stringContaining('the identity provider answered access_denied'),
    ])
  })
})
