import * as z from 'zod'
import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { devicePath, deviceWire } from '../core/audit-device.ts'
import { answerDone, answerTwice, type SecretsContext } from '../core/context.ts'
import { body, textField } from '../core/fields.ts'
import { enveloped, twice } from '../core/reply-shapes.ts'
import { auditOf } from './trail.ts'

const at = route<SecretsContext>()

const Device = z.object({
  type: z.string(),
  description: z.string(),
  local: z.boolean(),
  path: z.string(),
  options: z.record(z.string(), z.string()),
})
const HashBody = body({ input: textField })

const declared = (what: string) =>
  refuse(
    'audit_unsupported',
    `audit devices are not ${what} over HTTP: the program that runs this service, or its configuration file, declares them`,
  )

/** The routes of audit devices, which a program or its configuration declares. */
export const auditRoutes = [
  at({
    id: 'sys.audit',
    method: 'GET',
    path: '/audit',
    summary: 'List the audit devices',
    access: 'read and sudo',
    reply: enveloped(z.record(z.string(), Device)).catchall(z.unknown()),
    handle: ({ context }) =>
      answerTwice(
        context,
        Object.fromEntries(
          auditOf(context.core).devices.map((device) => [devicePath(device), deviceWire(device)]),
        ),
      ),
  }),
  at({
    id: 'sys.audit-hash',
    method: 'POST',
    path: '/audit-hash/*path',
    summary: 'Hash a text as an audit device does',
    access: 'update',
    body: HashBody,
    refusals: ['audit_device_unknown', 'tool_input'],
    reply: twice({ hash: z.string() }),
    handle: ({ context, params, body: asked }) => {
      if (!asked.input) return refuse('tool_input', 'the "input" parameter is empty')
      const hash = auditOf(context.core).hash(params.path, asked.input)
      return hash === undefined
        ? refuse('audit_device_unknown', `unknown audit backend: ${JSON.stringify(params.path)}`)
        : answerTwice(context, { hash })
    },
  }),
  at({
    id: 'sys.enable-audit',
    method: 'POST',
    path: '/audit/*path',
    summary: 'Refused: audit devices cannot be enabled over HTTP',
    access: 'update and sudo',
    refusals: ['audit_unsupported'],
    handle: () => declared('enabled'),
  }),
  at({
    id: 'sys.disable-audit',
    method: 'DELETE',
    path: '/audit/*path',
    summary: 'Refused: audit devices cannot be disabled over HTTP; a missing one is not an error',
    access: 'delete and sudo',
    success: 204,
    refusals: ['audit_unsupported'],
    handle: ({ context, params }) =>
      auditOf(context.core).devices.some(
        (device) => devicePath(device) === `${params.path.replace(/^\/+|\/+$/g, '')}/`,
      )
        ? declared('disabled')
        : answerDone(context),
  }),
]
