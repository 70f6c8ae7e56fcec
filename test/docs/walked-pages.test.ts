import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { folder, killAll, removeFolders, run, start } from '../cli/server.ts'
import { installInto } from '../package/installed.ts'
import { curl, needing, openssl, terraform, vagrant } from '../programs.ts'
import { selfSigned } from '../self-signed.ts'
import { type Replacing, replacing, serveAs } from './serve-as.ts'
import { blocksOf, patternOf, type Step, shellIn, stepsOf, tlsProxy } from './walk.ts'

/**
 * The pages that put a server into operation, followed on a fresh directory: their commands run as they stand, in order,
 * and print what the pages show. Only host names, the data directory, tokens and ports are replaced.
 */

afterAll(() => {
  killAll()
  removeFolders()
})

async function follow(steps: readonly Step[], shell: ReturnType<typeof shellIn>, replace: Replacing) {
  for (const { commands, shows } of steps) {
    const done = await shell(replace(commands))
    expect(done.code, `${commands}\n${done.output}`).toBe(0)
    for (const line of shows) expect(done.output).toMatch(patternOf(replace(line)))
  }
}

describe(...needing('Replace HCP Vagrant in ten minutes', vagrant, curl, openssl), () => {
  const page = 'site/guide/replace-hcp-vagrant.md'
  const [first, ...rest] = stepsOf(page)

  it('is followed to its end', async () => {
    const home = folder()
    const makeBox = (name: string) => {
      writeFileSync(join(home, 'metadata.json'), '{"provider":"virtualbox"}')
      writeFileSync(join(home, 'disk.txt'), name)
      execFileSync('tar', ['-czf', join(home, name), '-C', home, 'metadata.json', 'disk.txt'])
    }
    for (const name of ['old.box', 'base.box']) makeBox(name)
    const old = await start('--only=catalog', '--catalog-user=acme:password-1')
    const oldToken = String(old.ready.catalog.tokens['acme'])
    const push = async (...more: readonly string[]) =>
      run(['box', 'push', ...more, '--provider=virtualbox', '--to', old.ready.catalog.url], {
        CATALOG_TOKEN: oldToken,
      })
    for (const box of [['acme/base'], ['acme/hidden', '--private']] as const)
      expect(
        await push(box[0], '1.0.0', join(home, 'old.box'), '--architecture=amd64', ...box.slice(1)),
      ).toMatchObject({ code: 0 })

    const proxy = await tlsProxy(home)
    const places = {
      'https://boxes.example.com': proxy.url,
      '/var/lib/plinth': join(home, 'data'),
      'https://vagrantcloud.com': old.ready.catalog.url,
    }
    const { line } = await serveAs(first?.commands ?? '', replacing(places))
    const { gateway, catalog } = JSON.parse(line)
    proxy.to(catalog.url)
    const replace = replacing({
      ...places,
      'http://127.0.0.1:9203': gateway.url,
      'http://127.0.0.1:8300': catalog.url,
      'THE-TOKEN': catalog.tokens.admin,
    })
    expect(line.trimEnd()).toBe(replace(first?.shows[0] ?? ''))
    const grants = createServer((_, answer) => {
      answer.setHeader('content-type', 'application/json')
      answer.end(JSON.stringify({ access_token: oldToken, expires_in: 3600 }))
    })
    grants.listen(0, '127.0.0.1')
    await once(grants, 'listening')
    const shell = shellIn(home, {
      HCP_AUTH_URL: `http://127.0.0.1:${(grants.address() as AddressInfo).port}`,
      SSL_CERT_FILE: proxy.certificate,
      CURL_CA_BUNDLE: proxy.certificate,
      NODE_EXTRA_CA_CERTS: proxy.certificate,
      VAGRANT_CHECKPOINT_DISABLE: '1',
      VAGRANT_NO_COLOR: '1',
    })
    await follow(rest, shell, replace)
    const seen = await shell(`curl -sS -o /dev/null -w '%{http_code}' ${proxy.url}/api/v2/box/acme/hidden`)
    expect(seen.output).toBe('404')
    proxy.close()
    grants.close()
  })

  it('shows a configuration that serves TLS without a proxy', async () => {
    const home = folder()
    const tls = selfSigned()
    const files = { '/etc/ssl/boxes.example.com.pem': tls.cert, '/etc/ssl/boxes.example.com.key': tls.key }
    let config = blocksOf(page).find(({ language }) => language === 'hcl')?.code ?? ''
    for (const [path, content] of Object.entries(files)) {
      const file = join(home, basename(path))
      writeFileSync(file, content)
      config = config.replace(path, file)
    }
    writeFileSync(join(home, 'plinth.hcl'), config)
    const places = replacing({ '/var/lib/plinth': join(home, 'data') })
    const { line } = await serveAs(`${first?.commands.trim()} --config ${join(home, 'plinth.hcl')}`, places)
    expect(JSON.parse(line).catalog.url).toMatch(/^https:\/\/0\.0\.0\.0:/)
    expect(JSON.parse(line).gateway.url).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })
})

describe(...needing('Your own module registry', terraform, curl, openssl), () => {
  const page = 'site/guide/module-registry.md'
  const [first, ...rest] = stepsOf(page)

  it('is followed to its end', async () => {
    const home = folder()
    mkdirSync(join(home, 'vpc'))
    writeFileSync(
      join(home, 'vpc', 'main.tf'),
      'variable "cidr" {\n  type = string\n}\noutput "cidr" {\n  value = var.cidr\n}\n',
    )
    writeFileSync(join(home, 'vpc', 'README.md'), '# A private network\n')
    const proxy = await tlsProxy(home)
    const places = {
      'https://modules.example.com': proxy.url,
      'modules.example.com': new URL(proxy.url).host,
      '/var/lib/plinth': join(home, 'data'),
    }
    const { line } = await serveAs(first?.commands ?? '', replacing(places))
    const { gateway, registry } = JSON.parse(line)
    proxy.to(registry.url)
    const replace = replacing({
      ...places,
      'http://127.0.0.1:9203': gateway.url,
      'http://127.0.0.1:8400': registry.url,
    })
    expect(line.trimEnd()).toMatch(patternOf(replace(first?.shows[0] ?? '')))
    const configuration = blocksOf(page).find(({ code }) => code.startsWith('module "'))?.code ?? ''
    writeFileSync(join(home, 'main.tf'), replace(configuration))
    const shell = shellIn(home, {
      SSL_CERT_FILE: proxy.certificate,
      CURL_CA_BUNDLE: proxy.certificate,
      NODE_EXTRA_CA_CERTS: proxy.certificate,
      CHECKPOINT_DISABLE: '1',
      TF_CLI_ARGS: '-no-color',
    })
    await follow(rest, shell, replace)
    expect(readFileSync(join(home, '.terraform/modules/vpc/main.tf'), 'utf8')).toContain('variable "cidr"')
    proxy.close()
  })
})

describe(...needing('Serve boxes and modules from an Express app', vagrant, terraform, curl), () => {
  const page = 'site/start/boxes-and-modules.md'

  it('is followed to its end', async () => {
    const home = folder()
    installInto(home)
    symlinkSync(resolve('node_modules/express'), join(home, 'node_modules/express'))
    writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
    for (const { code } of blocksOf(page)) {
      const [, name] = /^\/\/ (\S+\.mjs)\n/.exec(code) ?? []
      if (name !== undefined) writeFileSync(join(home, name), code)
    }
    const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
    execFileSync(process.execPath, ['try.mjs'], { cwd: home, env })

    const program = `import('./serve.mjs').then(({ start, tokens }) => {
      const server = start(0)
      server.on('listening', () => console.log(JSON.stringify({ port: server.address().port, tokens })))
    })`
    const server = spawn(process.execPath, ['--eval', program], { cwd: home, env })
    onTestFinished(() => void server.kill())
    const ready = await new Promise<string>((found, missing) => {
      createInterface(server.stdout).on('line', (line) => line.startsWith('{') && found(line))
      text(server.stderr).then(missing, missing)
    })
    const { port, tokens } = JSON.parse(ready)
    const shell = shellIn(home, {
      ...tokens,
      VAGRANT_CHECKPOINT_DISABLE: '1',
      VAGRANT_NO_COLOR: '1',
      CHECKPOINT_DISABLE: '1',
      TF_CLI_ARGS: '-no-color',
    })
    const [project, ...rest] = stepsOf(page)
    expect(project?.commands).toContain('npm install express')
    await follow(rest, shell, replacing({ 'localhost:3000': `localhost:${port}`, 'npx plinth': 'plinth' }))
    expect(readFileSync(join(home, '.terraform/modules/vpc/main.tf'), 'utf8')).toContain('variable "cidr"')
  })
})
