import { isRefused } from '../../../kernel/refusal.ts'
import { type AuditDevice, type AuditSink, devicePath, type OpenedAuditSink } from '../core/audit-device.ts'
import { type Core, stateOf } from '../core/core.ts'
import { type DeviceOptions, readDeviceOptions } from './device-options.ts'
import { auditRecords, type EnabledDevice } from './records.ts'

/** The audit devices of a service: those of its program, and those enabled over HTTP. */
export const devicesOf = stateOf(devicesIn)

/** An enabled device, opened when it is first written. */
interface Used {
  readonly enabled: EnabledDevice
  /** What it was opened with: the same device of a record that was read again. */
  readonly text: string
  readonly device: AuditDevice
  /** Closes it; lines of requests that are still in progress are dropped. */
  readonly retire: () => Promise<void>
}

function devicesIn(core: Core) {
  const declared: readonly AuditDevice[] = core.options.audit ?? []
  let seen: readonly EnabledDevice[] | undefined
  let used: readonly Used[] = []
  let all = declared
  return {
    declared,
    /** All devices now: the same array until it changes. */
    now: (): readonly AuditDevice[] => {
      const opened = core.barrier.ifOpen()
      const record = opened && auditRecords.get(opened.view.stale(), 'it')?.value.audit
      if (record === seen) return all
      seen = record
      const before = used
      used = (record ?? []).map((enabled) => {
        const text = JSON.stringify(enabled)
        return before.find((each) => each.text === text) ?? useOf(core, enabled, text)
      })
      for (const each of before) if (!used.includes(each)) void each.retire().catch(core.report)
      all = [...declared, ...used.map(({ device }) => device)]
      return all
    },
    /** The enabled devices, without those of the program. */
    enabled: (): readonly EnabledDevice[] => used.map(({ enabled }) => enabled),
    close: async () => {
      const last = used
      used = []
      await Promise.all(last.map(({ retire }) => retire()))
    },
  }
}

function useOf(core: Core, enabled: EnabledDevice, text: string): Used {
  const { openAuditSink } = core.options
  const read = readDeviceOptions(enabled)
  let opening: Promise<OpenedAuditSink> | undefined
  let retired = false
  const open = async (): Promise<OpenedAuditSink> => {
    if (openAuditSink === undefined)
      throw new Error('this program does not open audit devices that were enabled over HTTP')
    // Another version of the program stored them: requests fail, and do not go unaudited.
    if (isRefused(read)) throw new Error(read.refusal.message)
    return openAuditSink(read.target)
  }
  const sink: AuditSink = {
    write: async (line) => {
      if (retired) return
      opening ??= open()
      const current = opening
      const opened = await current.catch((error: unknown) => {
        // The next line tries again.
        if (opening === current) opening = undefined
        throw error
      })
      if (!retired) await opened.write(line)
    },
  }
  const { path, type, description, local, options } = enabled
  const { hmacAccessor = true, elideListResponses = false }: Partial<DeviceOptions> = isRefused(read)
    ? {}
    : read
  return {
    enabled,
    text,
    device: { path, type, description, local, sink, hmacAccessor, elideListResponses, options },
    retire: async () => {
      retired = true
      await (await opening?.catch(() => undefined))?.close()
    },
  }
}

/** Whether two paths of devices are the same, or one is within the other. */
export const overlaps = (path: string, device: Pick<AuditDevice, 'path'>): boolean => {
  const other = devicePath(device)
  return path.startsWith(other) || other.startsWith(path)
}
