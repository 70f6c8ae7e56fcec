import { route } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { answerDone, answerTwice, type SecretsContext } from '../context.ts'
import { NoDevices } from './replies.ts'

const at = route<SecretsContext>()

/** The routes about audit devices: there are none, since the program that embeds the service hears every request. */
export const auditRoutes = [
  at({
    id: 'sys.audit',
    method: 'GET',
    path: '/audit',
    summary: 'List the audit devices: none, since requests are told to the program (`onRequest`)',
    access: 'read and sudo',
    reply: NoDevices,
    handle: ({ context }) => answerTwice(context, {}),
  }),
  at({
    id: 'sys.enable-audit',
    method: 'POST',
    path: '/audit/*path',
    summary: 'Refuse an audit device',
    access: 'update and sudo',
    refusals: ['audit_unsupported'],
    handle: () =>
      refuse(
        'audit_unsupported',
        'audit devices are not enabled over HTTP: the program that runs this service hears every request (onRequest)',
      ),
  }),
  at({
    id: 'sys.disable-audit',
    method: 'DELETE',
    path: '/audit/*path',
    summary: 'Take away an audit device; one that is not there is no error',
    access: 'delete and sudo',
    success: 204,
    handle: ({ context }) => answerDone(context),
  }),
]
