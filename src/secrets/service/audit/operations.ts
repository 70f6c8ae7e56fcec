import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { devicePath } from '../core/audit-device.ts'
import type { Within } from '../core/context.ts'
import { auditOf } from './trail.ts'

const declared = (what: string) =>
  refuse(
    'audit_unsupported',
    `audit devices are not ${what} over HTTP: the program that runs this service, or its configuration file, declares them`,
  )

/** The operations on audit devices, which a program or its configuration declares. */
export const auditOperations = {
  devices: routeOperation({ refuses: [], run: ({ core }: Within) => found(auditOf(core).devices) }),
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
  enable: routeOperation({ refuses: ['audit_unsupported'], run: async () => declared('enabled') }),
  /** Refuses to disable a device; a missing one is not an error. */
  disable: routeOperation({
    refuses: ['audit_unsupported'],
    run: async ({ core }: Within, path: string) =>
      auditOf(core).devices.some((device) => devicePath(device) === `${path.replace(/^\/+|\/+$/g, '')}/`)
        ? declared('disabled')
        : found(undefined),
  }),
}
