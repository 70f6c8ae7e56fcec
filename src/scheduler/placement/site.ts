import type { NodeRecord } from '../nodes/model.ts'
import type { GroupAsk } from './ask.ts'
import { chooseDevices, type DeviceUse, deviceKey, instancesOf, type NodeDevice } from './devices.ts'
import { choosePorts, type PortUse } from './ports.ts'

/**
 * How nodes are chosen: fill the fullest, or keep them even.
 */
export type SchedulerAlgorithm = 'binpack' | 'spread'

/**
 * The resources that an allocation uses on its node.
 */
export interface Usage {
  /** MHz. */
  readonly cpu: number
  /** MB. */
  readonly memoryMb: number
  /** MB of ephemeral disk; none by default. */
  readonly diskMb?: number | undefined
  /** The node's dedicated cores; none by default. */
  readonly cores?: readonly number[] | undefined
  /** The node's ports; none by default. */
  readonly ports?: readonly PortUse[] | undefined
  /** The node's devices; none by default. */
  readonly devices?: readonly DeviceUse[] | undefined
}

/** How many allocations hold each: two of them while one that was preempted has not ended. */
type Holders<Held> = Map<Held, number>

function held<Held>(holders: Holders<Held> | undefined, one: Held): Holders<Held> {
  return (holders ?? new Map<Held, number>()).set(one, (holders?.get(one) ?? 0) + 1)
}

function release<Held>(holders: Holders<Held> | undefined, one: Held): void {
  const left = (holders?.get(one) ?? 0) - 1
  if (left > 0) holders?.set(one, left)
  else holders?.delete(one)
}

/** The resources of one node during placement, total and used. */
export class Site {
  readonly node: NodeRecord
  readonly #cpu: number
  readonly #memoryMb: number
  readonly #diskMb: number
  readonly #cores: readonly number[]
  #usedCpu = 0
  #usedMemoryMb = 0
  #usedDiskMb = 0
  #usedCores: Holders<number> | undefined
  #ports: Holders<number> | undefined
  #devices: Holders<string> | undefined

  constructor(node: NodeRecord) {
    this.node = node
    const { NodeResources: has, ReservedResources: keeps } = node
    this.#cpu = (has?.Cpu.CpuShares ?? 0) - (keeps?.Cpu.CpuShares ?? 0)
    this.#memoryMb = (has?.Memory.MemoryMB ?? 0) - (keeps?.Memory.MemoryMB ?? 0)
    const disk = has?.Disk.DiskMB ?? 0
    // A node that does not say how much disk it has is not limited by it.
    this.#diskMb = disk === 0 ? Number.POSITIVE_INFINITY : disk - (keeps?.Disk.DiskMB ?? 0)
    this.#cores =
      has?.Cpu.ReservableCpuCores ?? Array.from({ length: has?.Cpu.TotalCpuCores ?? 0 }, (_, at) => at)
  }

  /** A copy for tentative changes. */
  copy(): Site {
    const copy = new Site(this.node)
    copy.#usedCpu = this.#usedCpu
    copy.#usedMemoryMb = this.#usedMemoryMb
    copy.#usedDiskMb = this.#usedDiskMb
    copy.#usedCores = this.#usedCores && new Map(this.#usedCores)
    copy.#ports = this.#ports && new Map(this.#ports)
    copy.#devices = this.#devices && new Map(this.#devices)
    return copy
  }

  /** Releases all resources. */
  empty(): void {
    this.#usedCpu = 0
    this.#usedMemoryMb = 0
    this.#usedDiskMb = 0
    this.#usedCores = undefined
    this.#ports = undefined
    this.#devices = undefined
  }

  take(usage: Usage): void {
    this.#add(usage, 1)
    for (const core of usage.cores ?? []) this.#usedCores = held(this.#usedCores, core)
    for (const { Value } of usage.ports ?? []) this.#ports = held(this.#ports, Value)
    for (const device of usage.devices ?? [])
      for (const id of device.DeviceIDs) this.#devices = held(this.#devices, deviceKey(device, id))
  }

  give(usage: Usage): void {
    this.#add(usage, -1)
    for (const core of usage.cores ?? []) release(this.#usedCores, core)
    for (const { Value } of usage.ports ?? []) release(this.#ports, Value)
    for (const device of usage.devices ?? [])
      for (const id of device.DeviceIDs) release(this.#devices, deviceKey(device, id))
  }

  #add({ cpu, memoryMb, diskMb = 0 }: Usage, sign: 1 | -1): void {
    this.#usedCpu += sign * cpu
    this.#usedMemoryMb += sign * memoryMb
    this.#usedDiskMb += sign * diskMb
  }

  /** The missing resource for one more allocation; `undefined` if it fits. */
  lacks(ask: GroupAsk): string | undefined {
    if (this.#usedCpu + ask.cpu > this.#cpu) return 'cpu'
    if (this.#usedMemoryMb + ask.memoryMb > this.#memoryMb) return 'memory'
    if (this.#usedDiskMb + ask.diskMb > this.#diskMb) return 'disk'
    if (ask.cores > 0 && this.#freeCores().length < ask.cores) return 'cores'
    if (ask.ports.length > 0) {
      const chosen = choosePorts(this.node, ask.ports, this.#ports)
      if ('missing' in chosen) return chosen.missing
    }
    if (ask.devices.length > 0 && chooseDevices(this.node, ask.devices, this.#devices?.keys()) === undefined)
      return 'devices: no devices match request'
    return undefined
  }

  /** How many devices of a kind no allocation has. */
  freeInstances(device: NodeDevice): number {
    return instancesOf(device).filter((id) => this.#devices?.has(deviceKey(device, id)) !== true).length
  }

  #freeCores(): readonly number[] {
    return this.#cores.filter((core) => this.#usedCores?.has(core) !== true)
  }

  /** The resources for one more allocation, if {@link Site.lacks} is `undefined`. */
  offer({ cpu, memoryMb, diskMb, cores, ports, devices }: GroupAsk): Usage {
    const chosen = ports.length > 0 ? choosePorts(this.node, ports, this.#ports) : undefined
    return {
      cpu,
      memoryMb,
      ...(diskMb > 0 ? { diskMb } : {}),
      ...(cores > 0 ? { cores: this.#freeCores().slice(0, cores) } : {}),
      ...(chosen !== undefined && 'ports' in chosen ? { ports: chosen.ports } : {}),
      ...(devices.length > 0
        ? { devices: chooseDevices(this.node, devices, this.#devices?.keys())?.devices ?? [] }
        : {}),
    }
  }

  /** How well the devices for one more allocation match its affinities: the sum of the weights. */
  matchedDevices({ devices }: Pick<GroupAsk, 'devices'>): number {
    return chooseDevices(this.node, devices, this.#devices?.keys())?.matched ?? 0
  }

  /**
   * How well one more allocation fits, from 0 to 1: best if the node is full then, or empty with `spread`. Free CPU and
   * memory count by powers of ten, so that a node that is full in both beats one that is full in one.
   */
  fit({ cpu, memoryMb }: Pick<GroupAsk, 'cpu' | 'memoryMb'>, algorithm: SchedulerAlgorithm): number {
    const total =
      tenTo(freeShare(this.#usedCpu + cpu, this.#cpu)) +
      tenTo(freeShare(this.#usedMemoryMb + memoryMb, this.#memoryMb))
    const score = algorithm === 'binpack' ? 20 - total : total - 2
    return Math.min(18, Math.max(0, score)) / 18
  }
}

const freeShare = (used: number, all: number): number => (all > 0 ? 1 - used / all : 1)
const tenTo = (power: number): number => Math.exp(Math.LN10 * power)
