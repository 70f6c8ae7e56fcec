import { mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { arch, cpus, hostname, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { systemEnv } from '../../kernel/system-env.ts'
import { version } from '../../version.ts'
import { UserError } from '../user-error.ts'
import { drivers } from './task.ts'
import { coreMhz } from './usage.ts'

/** The identity of this node, which survives restarts. */
export interface Identity {
  readonly id: string
  readonly secret: string
}

/** Reads the identity of this node, or generates one and stores it readable by the owner only. */
export function identityIn(dir: string, wanted: string | undefined): Identity {
  const file = join(dir, 'node.json')
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  let text: string | undefined
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  if (text === undefined) {
    const { newId } = systemEnv()
    const identity: Identity = { id: wanted ?? newId('node'), secret: newId('secret') }
    writeFileSync(file, `${JSON.stringify(identity)}\n`, { mode: 0o600, flag: 'wx' })
    return identity
  }
  const known: Partial<Identity> = JSON.parse(text)
  if (typeof known.id !== 'string' || typeof known.secret !== 'string')
    throw new UserError(`${file} has no node ID: remove it to register a new node`)
  if (wanted !== undefined && wanted !== known.id)
    throw new UserError(`${dir} belongs to node ${known.id}, not to ${wanted}: use another --dir`, 2)
  return { id: known.id, secret: known.secret }
}

/** This machine, as the node reports it. */
export function describeNode(
  { id }: Identity,
  about: {
    readonly name: string | undefined
    readonly datacenter: string
    readonly pool: string
    readonly dir: string
  },
): object {
  const { bsize, bavail } = statfsSync(about.dir)
  const healthy = {
    Detected: true,
    Healthy: true,
    HealthDescription: 'Runs as the user of the runner, without isolation',
  }
  return {
    ID: id,
    Name: about.name ?? hostname(),
    Datacenter: about.datacenter,
    NodePool: about.pool,
    Drivers: Object.fromEntries(drivers.map((driver) => [driver, healthy])),
    Attributes: {
      'cpu.arch': arch(),
      'kernel.name': platform(),
      'kernel.version': release(),
      'os.name': platform(),
      'unique.hostname': hostname(),
      'plinth.runner': version,
      ...Object.fromEntries(drivers.map((driver) => [`driver.${driver}`, '1'])),
    },
    NodeResources: {
      Cpu: { CpuShares: Math.round(coreMhz() * cpus().length), TotalCpuCores: cpus().length },
      Memory: { MemoryMB: Math.floor(totalmem() / 1024 / 1024) },
      Disk: { DiskMB: Math.floor((bsize * bavail) / 1024 / 1024) },
    },
  }
}
