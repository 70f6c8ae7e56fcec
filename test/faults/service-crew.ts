import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareServices, rootToken, type Server, serviceClients } from './clients.ts'
import type { Engine } from './engines.ts'
import type { Crew } from './run.ts'

/** Servers with the secrets service and the scheduler, and clients that look for what was acknowledged. */
export async function serviceCrew(engine: Engine, count: number): Promise<Crew> {
  const room = mkdtempSync(join(tmpdir(), 'plinth-faults-'))
  const up: (Server | undefined)[] = Array.from({ length: count }, () => undefined)
  const crashes: string[] = []
  const members = up.map((_, at) => {
    let stop = async () => {}
    return {
      kill: () => stop(),
      start: async () => {
        const server = await started(engine, at, room, (code, stderr) => {
          up[at] = undefined
          crashes.push(`server ${at} ended with ${code}: ${stderr}`)
        })
        up[at] = server.at
        stop = async () => {
          stop = async () => {}
          up[at] = undefined
          await server.kill()
        }
      },
    }
  })
  // The first makes the keys that the others unseal with.
  for (const { start } of members) await start()
  await prepareServices(up[0] as Server)
  const clients = await serviceClients(() => up)
  return {
    members: members.map((each, at) => ({
      ...each,
      acknowledges: () => clients.acknowledges(at, performance.now()),
    })),
    end: async () => {
      const { wrong, ...seen } = await clients.end()
      rmSync(room, { recursive: true, force: true })
      return { ...seen, wrong: [...crashes, ...wrong] }
    },
  }
}

/** Starts a server; it is started again while its database does not answer. */
async function started(
  engine: Engine,
  at: number,
  room: string,
  crashed: (code: number | null, stderr: string) => void,
) {
  const addresses = engine.addressesOf(at)
  const hosts = addresses.map((address) => address.replace(/^http:\/\//, '')).join(',')
  const flags = {
    '--data': engine.kind === 'etcd' ? `etcd://${hosts}/faults` : (addresses[0] ?? ''),
    '--dev-keys': join(room, 'dev-keys.json'),
    '--blobs': join(room, 'blobs'),
    '--root-token': rootToken,
    '--only': 'secrets,scheduler',
    '--secrets-port': '0',
    '--scheduler-port': '0',
  }
  for (;;) {
    const args = [process.env['PLINTH_CLI'] ?? '', 'serve', '--json', ...Object.entries(flags).flat()]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let [stderr, isKilled] = ['', false]
    child.stderr.on('data', (text) => (stderr += String(text)))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const ready = new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))))
    const line = await Promise.race([ready, ended])
    if (typeof line === 'string') {
      const { secrets, scheduler } = JSON.parse(line)
      void ended.then((code) => isKilled || crashed(code, stderr))
      return {
        at: { secrets: secrets.url, scheduler: scheduler.url } satisfies Server,
        kill: async () => {
          isKilled = true
          child.kill('SIGKILL')
          await ended
        },
      }
    }
    if (!/answer|reach|connect|timed? ?out/i.test(stderr))
      throw new Error(`a server does not start: ${stderr}`)
  }
}
