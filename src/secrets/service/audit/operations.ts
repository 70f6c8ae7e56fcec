import { refuse } from '../../../kernel/index.ts'
import { isRefused } from '../../../kernel/refusal.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { type AuditDevice, devicePath, type OpenedAuditSink } from '../core/audit-device.ts'
import type { Within } from '../core/context.ts'
import type { Core } from '../core/core.ts'
import { done } from '../core/decision.ts'
import { readDeviceOptions } from './device-options.ts'
import { devicesOf, overlaps } from './enabled-devices.ts'
import { auditRecords, type EnabledDevice } from './records.ts'
import { auditOf } from './trail.ts'

const deviceAt = (core: Core, path: string): AuditDevice | undefined =>
  devicesOf(core)
    .now()
    .find((device) => devicePath(device) === devicePath({ path }))

const pathInUse = () => refuse('audit_path_in_use', 'path already in use')

/** The operations on audit devices. A program and its configuration declare some; others are enabled over HTTP. */
export const auditOperations = {
  devices: routeOperation({ refuses: [], run: async ({ core }: Within) => found(devicesOf(core).now()) }),
  device: routeOperation({
    refuses: [],
    run: async ({ core }: Within, path: string) => found(deviceAt(core, path)),
  }),
  /** Hashes a text as the device at a path does. */
  hash: routeOperation({
    refuses: ['audit_device_unknown'],
    run: async ({ core }: Within, path: string, input: string) => {
      const hash = auditOf(core).hash(path, input)
      return hash === undefined
        ? refuse('audit_device_unknown', `unknown audit backend: ${JSON.stringify(path)}`)
        : found(hash)
    },
  }),
  /** Enables a device, once its file or socket could be opened. */
  enable: routeOperation({
    refuses: ['audit_unsupported', 'audit_options', 'audit_path_in_use', 'audit_device_failed'],
    run: async ({ core }: Within, given: Omit<EnabledDevice, 'type'> & { readonly type: string }) => {
      const { openAuditSink } = core.options
      if (openAuditSink === undefined)
        return refuse('audit_unsupported', 'this program declares its audit devices and opens no others')
      const { type } = given
      if (type !== 'file' && type !== 'socket')
        return refuse(
          'audit_options',
          `unknown backend type: ${JSON.stringify(type)}; known are file and socket`,
        )
      const device: EnabledDevice = { ...given, path: devicePath(given), type }
      const read = readDeviceOptions(device)
      if (isRefused(read)) return read
      if (device.path === '/') return refuse('audit_options', 'backend path must be specified')
      if (
        devicesOf(core)
          .now()
          .some((other) => overlaps(device.path, other))
      )
        return pathInUse()
      let opened: OpenedAuditSink
      try {
        opened = await openAuditSink(read.target)
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return refuse('audit_device_failed', `the device cannot be opened: ${reason}`)
      }
      await opened.close()
      const written = await core.commit<undefined, 'audit_path_in_use'>((tx) => {
        const before = tx.get(auditRecords, 'it')?.value.audit ?? []
        if (before.some((other) => overlaps(device.path, other))) return pathInUse()
        tx.put(auditRecords, { audit: [...before, device] })
        return done(undefined)
      })
      await core.fresh()
      return written
    },
  }),
  /** Disables a device; a missing one is not an error. */
  disable: routeOperation({
    refuses: ['audit_declared'],
    run: async ({ core }: Within, given: string) => {
      const path = devicePath({ path: given })
      if (devicesOf(core).declared.some((device) => devicePath(device) === path))
        return refuse(
          'audit_declared',
          'this device is declared by the program that runs this service, or by its configuration file: remove it there',
        )
      const written = await core.commit((tx) => {
        const before = tx.get(auditRecords, 'it')?.value.audit ?? []
        const after = before.filter((other) => other.path !== path)
        if (after.length < before.length) tx.put(auditRecords, { audit: after })
        return done(undefined)
      })
      await core.fresh()
      return written
    },
  }),
}
