import type { Usage } from '../placement/site.ts'
import { together } from '../placement/together.ts'
import type { AllocatedResources } from './model.ts'

/** The resources of an allocation, as placement counts them. */
export function usageIn(stored: AllocatedResources): Usage {
  const { Tasks, TaskLifecycles, Shared } = presentForm(stored)
  const tasks = Object.entries(Tasks)
  const cores = tasks.flatMap(([, { Cpu }]) => Cpu.ReservedCores ?? [])
  const devices = tasks.flatMap(([, { Devices }]) => Devices ?? [])
  const { cpu, memoryMb } = together(
    tasks.map(([name, { Cpu, Memory }]) => ({
      cpu: Cpu.CpuShares,
      memoryMb: Memory.MemoryMB,
      cores: Cpu.ReservedCores?.length ?? 0,
      lifecycle: Object.hasOwn(TaskLifecycles, name) ? TaskLifecycles[name] : null,
    })),
  )
  return {
    cpu,
    memoryMb,
    diskMb: Shared.DiskMB,
    cores,
    ports: Shared.Ports ?? undefined,
    devices: devices.length > 0 ? devices : undefined,
  }
}

/** The form in which earlier snapshots stored resources: without tasks. */
interface EarlierForm {
  readonly CpuShares: number
  readonly MemoryMB: number
  readonly DiskMB: number
  readonly Cores?: number
  readonly Ports?: AllocatedResources['Shared']['Ports']
  readonly Devices?: AllocatedResources['Tasks'][string]['Devices']
}

/** Stored resources in their present form: those of earlier snapshots are of one task without a name. */
export function presentForm(stored: AllocatedResources | EarlierForm): AllocatedResources {
  if ('Shared' in stored) return stored
  const { CpuShares, MemoryMB, DiskMB, Cores = 0, Ports = null, Devices = null } = stored
  const ReservedCores = Cores > 0 ? Array.from({ length: Cores }, (_, at) => at) : null
  return {
    Tasks: {
      '': {
        Cpu: { CpuShares, ReservedCores },
        Memory: { MemoryMB, MemoryMaxMB: 0 },
        Networks: null,
        Devices,
      },
    },
    TaskLifecycles: { '': null },
    Shared: { Networks: null, DiskMB, Ports },
  }
}
