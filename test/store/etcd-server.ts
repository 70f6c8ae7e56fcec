import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { commandOf, etcd } from '../programs.ts'
import { freePort } from './free-port.ts'

/** A member of a cluster. */
export interface EtcdMember {
  /** Where clients reach it. */
  readonly url: string
  /** Starts it, over the data it has; resolves without waiting for the others. */
  start(): void
  /** Ends it without any warning. */
  kill(): Promise<void>
  /** Stops it as a pause of its machine would. */
  pause(): void
  goOn(): void
}

/** A cluster of etcd of its own, in a temporary directory. */
export interface EtcdCluster {
  readonly members: readonly EtcdMember[]
  readonly urls: readonly string[]
  /** Resolves once it answers, which needs a majority. */
  ready(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

export interface EtcdSetting {
  readonly members?: number
  readonly flags?: readonly string[]
  readonly scheme?: 'http' | 'https'
  /** Maps the address at which a member listens for others to the one at which they reach it, through a proxy. */
  readonly peerVia?: (url: string) => Promise<string>
}

/** Starts a cluster on free ports. */
export async function etcdCluster({
  members: count = 1,
  flags = [],
  scheme = 'http',
  peerVia = async (url) => url,
}: EtcdSetting = {}): Promise<EtcdCluster> {
  const home = await mkdtemp(join(tmpdir(), 'plinth-etcd-'))
  const places = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const peer = `http://127.0.0.1:${await freePort()}`
      return {
        name: `m${at}`,
        url: `${scheme}://127.0.0.1:${await freePort()}`,
        peer,
        reached: await peerVia(peer),
      }
    }),
  )
  const initial = places.map(({ name, reached }) => `${name}=${reached}`).join(',')
  const members = places.map(({ name, url, peer, reached }): EtcdMember => {
    let child: ChildProcess | undefined
    const start = () => {
      const started = spawn(
        commandOf(etcd) ?? 'etcd',
        [
          ...['--name', name, '--data-dir', join(home, name), '--initial-cluster', initial],
          ...['--listen-client-urls', url, '--advertise-client-urls', url],
          ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', reached],
          ...['--heartbeat-interval', '50', '--election-timeout', '500', '--log-level', 'fatal', ...flags],
        ],
        { stdio: 'ignore' },
      )
      child = started
      // Its port is taken for a moment if a connection of another process got it while it was dead.
      const isWanted = () => child === started
      started.once('exit', () => setTimeout(() => isWanted() && start(), 200))
    }
    return {
      url,
      start,
      kill: async () => {
        const dying = child
        child = undefined
        if (dying === undefined) return
        const ended = new Promise((resolve) => dying.once('exit', resolve))
        if (dying.exitCode === null && dying.signalCode === null) {
          dying.kill('SIGKILL')
          await ended
        }
      },
      pause: () => void child?.kill('SIGSTOP'),
      goOn: () => void child?.kill('SIGCONT'),
    }
  })
  for (const member of members) member.start()
  const [first] = members
  const cluster: EtcdCluster = {
    members,
    urls: members.map(({ url }) => url),
    ready: async () => {
      const isReady = async () => {
        const body = JSON.stringify({ key: 'AA==' })
        const answer = await fetch(`${first?.url}/v3/kv/range`, { method: 'POST', body }).catch(
          () => undefined,
        )
        return answer?.ok === true
      }
      while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50))
    },
    stop: async () => {
      for (const member of members) await member.kill()
      await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  if (scheme === 'http') await cluster.ready()
  return cluster
}
