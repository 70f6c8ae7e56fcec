import { reply } from '../http/index.ts'
import { refuse } from '../kernel/index.ts'
import {
  PruneBody,
  PruneReply,
  pruneOptionsOf,
  pruneView,
  QuotaBody,
  type QuotaUse,
  quotaField,
  quotaReply,
  quotaView,
} from '../quota/quota.ts'
import { checkNamespace } from './check-namespace.ts'
import { access, operationRoute } from './define-route.ts'
import { quotaOperations } from './operations/quota.ts'

const publishing = {
  access: access.publish,
  refusals: ['namespace_forbidden'],
  before: checkNamespace,
} as const
const show = (use: QuotaUse<'modules'>) => reply(quotaView('modules', use))

/** What namespaces may have, and which versions they keep. */
export const quotaRoutes = [
  operationRoute({
    id: 'registry.readQuota',
    method: 'GET',
    path: '/plinth/v1/namespaces/:namespace/quota',
    summary: 'Read how many modules, versions and bytes of archives a namespace has and may have',
    ...publishing,
    reply: quotaReply('modules'),
    run: quotaOperations.readQuota,
    with: ({ params }) => [params.namespace],
    show,
  }),
  operationRoute({
    id: 'registry.putQuota',
    method: 'PUT',
    path: '/plinth/v1/namespaces/:namespace/quota',
    summary: 'Change what a namespace may have, as an administrator; or `keep_versions`, as its publisher',
    description:
      'Omitted fields stay unchanged, `null` restores the default of the server. Of each module, the `keep_versions` highest versions and the latest are kept: others are removed within an hour.',
    ...publishing,
    refusals: ['namespace_forbidden', 'administrator_required'],
    reply: quotaReply('modules'),
    body: QuotaBody.extend({ modules: quotaField }),
    run: quotaOperations.putQuota,
    with: ({ context, params, body: { keep_versions: keepVersions, ...most } }) =>
      Object.keys(most).length > 0 && !context.publisher?.administrator
        ? refuse('administrator_required', 'only an administrator changes what a namespace may have')
        : [params.namespace, { ...most, keepVersions }],
    show,
  }),
  operationRoute({
    id: 'registry.prune',
    method: 'POST',
    path: '/plinth/v1/namespaces/:namespace/prune',
    summary: 'Remove the versions that a namespace does not keep, or list them (`dry_run`)',
    ...publishing,
    body: PruneBody,
    reply: PruneReply,
    run: quotaOperations.pruneVersions,
    with: ({ params, body }) => [params.namespace, pruneOptionsOf(body)],
    show: (pruned) => reply(pruneView(pruned)),
  }),
]
