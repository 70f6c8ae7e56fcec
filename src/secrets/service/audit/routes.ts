import * as z from 'zod'
import { refuse } from '../../../kernel/index.ts'
import { devicePath, deviceWire } from '../core/audit-device.ts'
import { answerTwice, asData, operationRoute } from '../core/context.ts'
import { body, booleanField, textField, textMapField } from '../core/fields.ts'
import { enveloped, orNothing, twice } from '../core/reply-shapes.ts'
import { auditOperations } from './operations.ts'

const Device = z.object({
  type: z.string(),
  description: z.string(),
  local: z.boolean(),
  path: z.string(),
  options: z.record(z.string(), z.string()),
})
const HashBody = body({ input: textField })
const EnableBody = body({
  type: textField,
  description: textField,
  local: booleanField,
  options: textMapField,
})

/** The routes of audit devices. */
export const auditRoutes = [
  operationRoute({
    id: 'sys.audit',
    method: 'GET',
    path: '/audit',
    summary: 'List the audit devices',
    access: 'read and sudo',
    reply: enveloped(z.record(z.string(), Device)).catchall(z.unknown()),
    run: auditOperations.devices,
    show: (devices, { context }) =>
      answerTwice(
        context,
        Object.fromEntries(devices.map((device) => [devicePath(device), deviceWire(device)])),
      ),
  }),
  operationRoute({
    id: 'sys.audit-hash',
    method: 'POST',
    path: '/audit-hash/*path',
    summary: 'Hash a text as an audit device does',
    access: 'update',
    body: HashBody,
    refusals: ['tool_input'],
    reply: twice({ hash: z.string() }),
    run: auditOperations.hash,
    with: ({ params, body: { input } }) =>
      input ? [params.path, input] : refuse('tool_input', 'the "input" parameter is empty'),
    show: (hash, { context }) => answerTwice(context, { hash }),
  }),
  operationRoute({
    id: 'sys.read-audit',
    method: 'GET',
    path: '/audit/*path',
    summary: 'Read an audit device',
    access: 'read and sudo',
    reply: enveloped(Device),
    ...orNothing,
    run: auditOperations.device,
    with: ({ params }) => [params.path],
    show: asData(deviceWire),
  }),
  operationRoute({
    id: 'sys.enable-audit',
    method: 'POST',
    path: '/audit/*path',
    summary: 'Enable an audit device: a file, or a socket',
    access: 'update and sudo',
    body: EnableBody,
    run: auditOperations.enable,
    with: ({ params, body: given }) => [
      {
        path: params.path,
        type: given.type ?? '',
        description: given.description ?? '',
        local: given.local ?? false,
        options: given.options ?? {},
      },
    ],
  }),
  operationRoute({
    id: 'sys.disable-audit',
    method: 'DELETE',
    path: '/audit/*path',
    summary: 'Disable an audit device that was enabled over HTTP; a missing one is not an error',
    access: 'delete and sudo',
    run: auditOperations.disable,
    with: ({ params }) => [params.path],
  }),
]
