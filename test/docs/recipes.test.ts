import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { cleanUp, folder, start } from '../cli/server.ts'
import { installInto } from '../package/installed.ts'
import { caddy, commandOf, curl, dockerCompose, needing, systemdAnalyze } from '../programs.ts'
import { freePort } from '../store/free-port.ts'
import { replacing, serveAs } from './serve-as.ts'

/** The recipes whose files are not programs of ours: the program that reads them checks them, and their lines are run. */

afterAll(cleanUp)

const run = promisify(execFile)
const example = (path: string) => readFileSync(join('examples', path), 'utf8')

describe('a recipe', () => {
  const recipes = readdirSync('site/recipes').map((file) => [
    file,
    readFileSync(`site/recipes/${file}`, 'utf8'),
  ])

  it.each(recipes)('%s shows files of an example', (_, page = '') => {
    const shown = [...page.matchAll(/^<<< @\/\.\.\/(examples\/[^\s{]+)/gm)].map(([, path = '']) => path)
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.filter((path) => !existsSync(path))).toEqual([])
  })
})

describe(...needing('a job in the CI system', curl), () => {
  const jobs: Readonly<
    Record<string, () => { readonly lines: readonly string[]; readonly variables: Record<string, string> }>
  > = {
    'GitHub Actions': () => {
      const { jobs } = parse(example('github-actions/test.yml'))
      expect(
        jobs.test.steps.filter(({ uses, run }: Step) => (uses === undefined) === (run === undefined)),
      ).toEqual([])
      const lines = jobs.test.steps.flatMap(({ run }: Step) => run ?? [])
      return { lines, variables: jobs.test.env }
    },
    GitLab: () => {
      const { test } = parse(example('gitlab/.gitlab-ci.yml'))
      return { lines: [[...test.before_script, ...test.script].join('\n')], variables: test.variables }
    },
  }
  interface Step {
    readonly uses?: string
    readonly run?: string
  }

  it.each(Object.keys(jobs))('%s runs the tests against a server of its own', async (system) => {
    const { lines, variables } = jobs[system]?.() ?? { lines: [], variables: {} }
    const home = folder()
    installInto(home)
    symlinkSync(resolve('node_modules/.bin'), join(home, 'node_modules/.bin'))
    writeFileSync(
      join(home, 'plinth'),
      `#!/bin/sh\nexec "${process.execPath}" "${join(home, 'node_modules/plinth/dist/cli/main.js')}" "$@"\n`,
      { mode: 0o755 },
    )
    writeFileSync(
      join(home, 'app.test.mjs'),
      `import assert from 'node:assert'
import { test } from 'node:test'
test('reads its password', async () => {
  const { VAULT_ADDR, VAULT_TOKEN } = process.env
  const answer = await fetch(VAULT_ADDR + '/v1/secret/data/app', { headers: { 'X-Vault-Token': VAULT_TOKEN } })
  assert.equal((await answer.json()).data.data.password, 'hunter2')
})
`,
    )
    writeFileSync(join(home, 'package.json'), '{ "scripts": { "test": "node --test" } }')
    const [secrets, gateway] = [await freePort(), await freePort()]
    const replace = replacing({
      'npx plinth serve': `npx plinth serve --secrets-port ${secrets} --gateway-port ${gateway}`,
      'npx plinth': './plinth',
      '127.0.0.1:8200': `127.0.0.1:${secrets}`,
      '127.0.0.1:9203': `127.0.0.1:${gateway}`,
    })
    const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
    const job = { ...env, ...JSON.parse(replace(JSON.stringify(variables))) }
    let output = ''
    for (const each of lines) {
      // What `npm ci` would install is there.
      const script = replace(each).replaceAll(/^npm ci\b.*$/gm, ':')
      const step = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], {
        cwd: home,
        env: job,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      onTestFinished(() => {
        try {
          process.kill(-Number(step.pid), 'SIGKILL')
        } catch {
          // It has left nothing running.
        }
      })
      for (const stream of [step.stdout, step.stderr]) stream.on('data', (data) => (output += String(data)))
      const [code] = await once(step, 'exit')
      expect(code, `${script}\n${output}`).toBe(0)
    }
    expect(output).toMatch(/pass 1/)
  })
})

describe(...needing('Docker Compose', dockerCompose), () => {
  it('reads the file, and the container starts, reports health and stops', async () => {
    const command = commandOf(dockerCompose) ?? ''
    const { stdout } = await run(command, ['-f', 'examples/docker-compose/compose.yaml', 'config'])
    const { plinth: service } = parse(stdout).services
    const entry: string[] = JSON.parse(
      /^ENTRYPOINT (.*)$/m.exec(example('docker-compose/Containerfile'))?.[1] ?? '[]',
    )
    const places = replacing({ ' /data': ` ${join(folder(), 'container')}`, '0.0.0.0': '127.0.0.1' })
    const { line, server } = await serveAs([...entry, ...service.command].join(' '), places)
    const { gateway, catalog } = JSON.parse(line)
    expect(catalog.url).toContain('http://127.0.0.1:')
    const [, program, ...given]: string[] = service.healthcheck.test
    const probe = given.map((each) => each.replace('http://127.0.0.1:9203', gateway.url))
    await run(program ?? '', probe)
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await expect(run(program ?? '', probe)).rejects.toThrow()
  })
})

describe(...needing('systemd', systemdAnalyze), () => {
  const unit = example('systemd/plinth.service')

  /** What systemd says of a unit whose program is there. */
  async function verify(content: string): Promise<string> {
    const path = join(folder(), 'plinth.service')
    writeFileSync(path, content.replaceAll('/usr/bin/plinth', process.execPath))
    const { stdout, stderr } = await run(commandOf(systemdAnalyze) ?? '', ['verify', path])
    return (stdout + stderr)
      .split('\n')
      .filter((line) => line.includes('plinth.service'))
      .join('\n')
  }

  it('finds no fault in the unit', async () => {
    expect(await verify(unit)).toBe('')
    expect(await verify(unit.replace('StateDirectory', 'StateFolder'))).toMatch(/Unknown key .*'StateFolder'/)
  })

  it('finds no fault in the units of the page of backups', async () => {
    const page = readFileSync('site/guide/back-up.md', 'utf8')
    const units = [...page.matchAll(/^`\/etc\/systemd\/system\/(\S+)`:\n\n```ini\n(.*?)^```/gms)]
    expect(units.map(([, name]) => name)).toEqual(['plinth-backup.service', 'plinth-backup.timer'])
    const place = folder()
    for (const [, name = '', content = ''] of units) writeFileSync(join(place, name), content)
    const paths = units.map(([, name = '']) => join(place, name))
    const { stdout, stderr } = await run(commandOf(systemdAnalyze) ?? '', ['verify', ...paths])
    expect((stdout + stderr).split('\n').filter((line) => line.includes('plinth-backup'))).toEqual([])
  })

  it('starts, reloads and stops the service', async () => {
    const line = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit)?.[1] ?? ''
    const { line: ready, server } = await serveAs(
      line,
      replacing({ '/var/lib/plinth': join(folder(), 'unit') }),
    )
    expect(JSON.parse(ready)).toMatchObject({ ready: true })
    server.child.kill('SIGHUP')
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  })
})

describe(...needing('Caddy', caddy), () => {
  it('passes boxes and modules on to the server', async () => {
    const home = folder()
    const env = { PATH: process.env['PATH'], HOME: home }
    await run(
      commandOf(caddy) ?? '',
      ['validate', '--config', 'examples/caddy/Caddyfile', '--adapter', 'caddyfile'],
      {
        env,
      },
    )
    const { ready, stop } = await start(
      ...['--production', '--behind-proxy', '--only=catalog,registry', '--data', join(home, 'data')],
      ...['--catalog-url=https://boxes.example.com', '--registry-url=https://modules.example.com'],
      ...['--catalog-user=admin:a-long-password', '--registry-token=root:a-long-token-of-an-administrator'],
    )
    const port = await freePort()
    const sites = replacing({
      'boxes.example.com': `http://boxes.example.com:${port}`,
      'modules.example.com': `http://modules.example.com:${port}`,
      '127.0.0.1:8300': new URL(ready.catalog.url).host,
      '127.0.0.1:8400': new URL(ready.registry.url).host,
    })
    const config = join(home, 'Caddyfile')
    writeFileSync(config, `{\n\tadmin off\n}\n${sites(example('caddy/Caddyfile'))}`)
    const proxy = spawn(commandOf(caddy) ?? '', ['run', '--config', config, '--adapter', 'caddyfile'], {
      env,
    })
    onTestFinished(() => void proxy.kill())
    let log = ''
    await new Promise<void>((serving, failed) => {
      proxy.stderr.on('data', (data) => {
        log += String(data)
        if (log.includes('serving initial configuration')) serving()
      })
      proxy.on('exit', () => failed(new Error(log)))
    })
    const get = async (host: string, path: string) => {
      const asked = request({ host: '127.0.0.1', port, path, headers: { host } }).end()
      const [answer] = await once(asked, 'response')
      return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
    }
    expect(await get('boxes.example.com', '/api/v2/search')).toMatchObject({
      status: 200,
      body: { boxes: [] },
    })
    expect(await get('modules.example.com', '/v1/modules')).toMatchObject({
      status: 200,
      body: { modules: [] },
    })
    await stop()
  })
})
