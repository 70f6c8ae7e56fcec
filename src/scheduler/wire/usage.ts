import * as z from 'zod'
import type { RunnerAnswer } from '../runners/call-model.ts'
import { int64 } from '../values/int64.ts'

const Usage = z.object({
  CpuStats: z.object({
    /** Shares of one core. */
    Percent: z.number(),
    SystemMode: z.number(),
    UserMode: z.number(),
    /** MHz. */
    TotalTicks: z.number(),
    ThrottledPeriods: z.int(),
    ThrottledTime: z.int(),
    Measured: z.array(z.string()),
  }),
  MemoryStats: z.object({
    /** Bytes. */
    RSS: int64,
    Usage: int64,
    MaxUsage: int64,
    Cache: int64,
    Swap: int64,
    KernelUsage: int64,
    KernelMaxUsage: int64,
    Measured: z.array(z.string()),
  }),
})

/** What an allocation and each of its running tasks uses. `Measured` names what was measured; the rest is 0. */
export const ResourceUsage = z
  .object({
    ResourceUsage: Usage,
    Tasks: z.record(z.string(), z.object({ ResourceUsage: Usage, Timestamp: int64, Pids: z.null() })),
    Timestamp: int64,
  })
  .meta({ id: 'AllocResourceUsage' })

type TaskUsage = RunnerAnswer['Usage'][string]

const nothing: TaskUsage = { UserPercent: 0, SystemPercent: 0, MHz: 0, RSS: 0, Timestamp: 0 }

/** Spells what a runner has measured as clients read it. */
export function usageOf(tasks: RunnerAnswer['Usage']): z.infer<typeof ResourceUsage> {
  let all = nothing
  for (const each of Object.values(tasks))
    all = {
      UserPercent: all.UserPercent + each.UserPercent,
      SystemPercent: all.SystemPercent + each.SystemPercent,
      MHz: all.MHz + each.MHz,
      RSS: all.RSS + each.RSS,
      Timestamp: Math.max(all.Timestamp, each.Timestamp),
    }
  const { Timestamp } = all
  return {
    ResourceUsage: spelled(all),
    Tasks: Object.fromEntries(
      Object.entries(tasks).map(([name, each]) => [
        name,
        { ResourceUsage: spelled(each), Timestamp: each.Timestamp, Pids: null },
      ]),
    ),
    Timestamp,
  }
}

const spelled = ({ UserPercent, SystemPercent, MHz, RSS }: TaskUsage): z.infer<typeof Usage> => ({
  CpuStats: {
    Percent: UserPercent + SystemPercent,
    SystemMode: SystemPercent,
    UserMode: UserPercent,
    TotalTicks: MHz,
    ThrottledPeriods: 0,
    ThrottledTime: 0,
    Measured: ['System Mode', 'User Mode', 'Percent'],
  },
  MemoryStats: {
    RSS,
    Usage: RSS,
    MaxUsage: 0,
    Cache: 0,
    Swap: 0,
    KernelUsage: 0,
    KernelMaxUsage: 0,
    Measured: ['RSS', 'Usage'],
  },
})
