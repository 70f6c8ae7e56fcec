import { refuse } from '../../../kernel/index.ts'
import { asData, asKeys, operationRoute } from '../core/context.ts'
import { listsKeys, orNothing } from '../core/reply-shapes.ts'
import { quotaOperations } from './operations.ts'
import {
  RateLimitBody,
  RateLimitReply,
  rateLimitWire,
  SettingsBody,
  SettingsReply,
  settingsWire,
} from './wire.ts'

/** The routes of quotas. */
export const quotaRoutes = [
  operationRoute({
    id: 'sys.quota-settings',
    method: 'GET',
    path: '/quotas/config',
    summary: 'Read the settings of all quotas',
    access: 'read',
    reply: SettingsReply,
    run: quotaOperations.settings,
    show: asData(settingsWire),
  }),
  operationRoute({
    id: 'sys.write-quota-settings',
    method: 'POST',
    path: '/quotas/config',
    summary: 'Change the settings of all quotas',
    description: 'Omitted settings stay.',
    access: 'update',
    body: SettingsBody,
    run: quotaOperations.configure,
    with: ({ body: given }) => [
      {
        exemptPaths: given.rate_limit_exempt_paths,
        absoluteExemptPaths: given.absolute_rate_limit_exempt_paths,
        auditLogging: given.enable_rate_limit_audit_logging,
        responseHeaders: given.enable_rate_limit_response_headers,
      },
    ],
  }),
  operationRoute({
    id: 'sys.rate-limits',
    method: 'LIST',
    path: '/quotas/rate-limit',
    summary: 'List the rate limits of all namespaces',
    access: 'list',
    ...listsKeys,
    run: quotaOperations.list,
    show: (quotas, call) =>
      asKeys(
        quotas.map(({ name }) => name),
        call,
      ),
  }),
  operationRoute({
    id: 'sys.read-rate-limit',
    method: 'GET',
    path: '/quotas/rate-limit/:name',
    summary: 'Read a rate limit',
    access: 'read',
    reply: RateLimitReply,
    ...orNothing,
    run: quotaOperations.read,
    with: ({ params }) => [params.name],
    show: asData(rateLimitWire),
  }),
  operationRoute({
    id: 'sys.write-rate-limit',
    method: 'POST',
    path: '/quotas/rate-limit/:name',
    summary: 'Create or replace a rate limit: how many requests each client address may send in an interval',
    description:
      'The path is that of a namespace, a mount, or a path within one, which may end in `*`; none for every request. Of several quotas, the most specific one counts a request. Each server counts for itself.',
    access: 'update',
    body: RateLimitBody,
    refusals: ['quota_invalid'],
    run: quotaOperations.write,
    with: ({ params, body: given }) =>
      given.group_by && given.group_by !== 'ip'
        ? refuse('quota_invalid', '\'group_by\' is invalid: requests are counted by client address, "ip"')
        : [
            params.name,
            {
              path: given.path,
              role: given.role,
              rate: given.rate ?? 0,
              intervalSeconds: given.interval,
              blockIntervalSeconds: given.block_interval,
              inheritable: given.inheritable,
            },
          ],
  }),
  operationRoute({
    id: 'sys.delete-rate-limit',
    method: 'DELETE',
    path: '/quotas/rate-limit/:name',
    summary: 'Delete a rate limit; a missing one is not an error',
    access: 'delete',
    run: quotaOperations.delete,
    with: ({ params }) => [params.name],
  }),
]
