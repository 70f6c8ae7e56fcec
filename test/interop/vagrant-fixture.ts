import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What one run of the client came to. */
export interface Ran {
  readonly code: number
  readonly out: string
}

/**
 * A home for the real client, with handmade boxes.
 *
 * @param certificate - a PEM file that it trusts: Ruby and libcurl each read a variable of their own
 */
export async function vagrantHome(serverUrl: string, certificate?: string) {
  const home = mkdtempSync(join(tmpdir(), 'plinth-vagrant-'))
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    LANG: 'C.UTF-8',
    VAGRANT_HOME: join(home, '.vagrant.d'),
    VAGRANT_SERVER_URL: serverUrl,
    VAGRANT_CHECKPOINT_DISABLE: '1',
    VAGRANT_NO_COLOR: '1',
    ...(certificate === undefined ? {} : { SSL_CERT_FILE: certificate, CURL_CA_BUNDLE: certificate }),
  }
  return {
    home,
    /** Runs `vagrant` with these arguments; under a token, if one is given. */
    vagrant: async (token: string | undefined, ...args: readonly string[]): Promise<Ran> => {
      const env = token === undefined ? environment : { ...environment, VAGRANT_CLOUD_TOKEN: token }
      try {
        const { stdout, stderr } = await run('vagrant', args, { env, cwd: home })
        return { code: 0, out: stdout + stderr }
      } catch (error) {
        if (!(error instanceof Error) || !('code' in error)) throw error
        const { code, stdout, stderr } = error as Error & { code: unknown; stdout: string; stderr: string }
        return { code: Number(code), out: stdout + stderr }
      }
    },
    /** Runs `vagrant` at a terminal, where it asks for a password. */
    atTerminal: async (password: string, ...args: readonly string[]): Promise<Ran> => {
      const child = spawn('script', ['-qec', ['vagrant', ...args].join(' '), '/dev/null'], {
        env: environment,
        cwd: home,
      })
      let out = ''
      child.stdout.on('data', (chunk) => {
        out += String(chunk)
        if (/(?:hidden|Token description).*: $/.test(out))
          child.stdin.write(out.includes('Token') ? '\n' : `${password}\n`)
      })
      const [code] = await once(child, 'close')
      return { code: Number(code), out }
    },
    /** Makes a box that the client accepts, without a virtual machine in it. */
    makeBox: async (name: string, provider: string): Promise<{ path: string; sha256: string }> => {
      const folder = mkdtempSync(join(home, 'box-'))
      writeFileSync(join(folder, 'metadata.json'), JSON.stringify({ provider }))
      writeFileSync(join(folder, 'disk.txt'), `${name}\n`)
      const path = join(home, name)
      await run('tar', ['-czf', path, '-C', folder, 'metadata.json', 'disk.txt'])
      return { path, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') }
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
}
