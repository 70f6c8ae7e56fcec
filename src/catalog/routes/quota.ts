import { reply } from '../../http/index.ts'
import {
  PruneBody,
  PruneReply,
  pruneOptionsOf,
  pruneView,
  QuotaBody,
  quotaField,
  quotaReply,
  quotaView,
} from '../../quota/quota.ts'
import { quotaOperations } from '../operations/quota.ts'
import { operationRoute, writing } from './context.ts'

const shown = {
  ...writing,
  reply: quotaReply('boxes'),
  show: (use: Parameters<typeof quotaView<'boxes'>>[1]) => reply(quotaView('boxes', use)),
} as const

/** What owners may have, and which versions they keep. */
export const quotaRoutes = [
  operationRoute({
    id: 'plinth.quota.read',
    method: 'GET',
    path: '/plinth/v1/owners/:owner/quota',
    summary: 'Read how many boxes, versions and bytes an owner has and may have, as a publisher of it',
    ...shown,
    run: quotaOperations.readQuota,
    with: ({ params }) => [params.owner],
  }),
  operationRoute({
    id: 'plinth.quota.put',
    method: 'PUT',
    path: '/plinth/v1/owners/:owner/quota',
    summary: 'Change what an owner may have, as an administrator; or `keep_versions`, as an admin of it',
    description:
      'Omitted fields stay unchanged, `null` restores the default of the server. Of each box, the `keep_versions` highest active versions are kept: released ones below them are deleted within an hour.',
    ...shown,
    body: QuotaBody.extend({ boxes: quotaField }),
    run: quotaOperations.putQuota,
    with: ({ params, body: { keep_versions: keepVersions, ...most } }) => [
      params.owner,
      { ...most, keepVersions },
    ],
  }),
  operationRoute({
    id: 'plinth.prune',
    method: 'POST',
    path: '/plinth/v1/owners/:owner/prune',
    summary: 'Delete the versions that an owner does not keep, or list them (`dry_run`), as an admin of it',
    ...writing,
    body: PruneBody,
    reply: PruneReply,
    run: quotaOperations.pruneVersions,
    with: ({ params, body }) => [params.owner, pruneOptionsOf(body)],
    show: (pruned) => reply(pruneView(pruned)),
  }),
]
