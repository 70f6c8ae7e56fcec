import * as z from 'zod'
import { type Call, reply } from '../http/index.ts'
import { type Refused, refuse } from '../kernel/index.ts'
import { Ttl, timeOrNull, ttlMsOf } from '../token/wire.ts'
import { TrailReply, TrailWireQuery, trailQueryOf, trailView } from '../trail/read-trail.ts'
import type { RegistryContext } from './context.ts'
import { access, operationRoute } from './define-route.ts'
import { auditOperations } from './operations/audit.ts'
import { historyOperations } from './operations/history.ts'
import type { CreatedToken, ListedToken } from './operations/publisher.ts'
import { tokenOperations } from './operations/tokens.ts'
import { parseMicros } from './rfc3339-micros.ts'

/** Not below the paths of the module protocol, which other registries share. */
const root = '/plinth/v1'
const path = `${root}/tokens` as const

/** A publishing token. */
const TokenSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    administrator: z.boolean(),
    namespaces: z.array(z.string()).nullable(),
    read: z.array(z.string()).nullable(),
    created_at: z.string(),
    expires_at: z.string().nullable(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: 'Token' })

const NewToken = TokenSummary.extend({ token: z.string() }).meta({ id: 'NewToken' })

const toSummary = ({
  id,
  name,
  administrator,
  namespaces,
  reads,
  createdAt,
  expiresAt,
  lastUsedAt,
}: ListedToken): z.infer<typeof TokenSummary> => ({
  id,
  name,
  administrator,
  namespaces: namespaces ? [...namespaces] : null,
  created_at: new Date(createdAt).toISOString(),
  read: reads ? [...reads] : null,
  expires_at: timeOrNull(expiresAt),
  last_used_at: timeOrNull(lastUsedAt),
})

const toNew = (made: CreatedToken): z.infer<typeof NewToken> => ({ ...toSummary(made), token: made.token })

/** Refuses publishers that do not manage tokens. */
export const checkAdministrator = ({
  context,
}: Pick<Call<RegistryContext, unknown, unknown>, 'context'>):
  | Refused<'administrator_required'>
  | undefined =>
  context.publisher?.administrator
    ? undefined
    : refuse('administrator_required', 'this token is not an administrator: use the token of one')

const Published = z.iso.datetime({ offset: true }).transform((text) => Math.max(0, parseMicros(text) ?? 0))

/** The endpoints of administrators: tokens, the changes that were made, and what modules had elsewhere. */
export const tokenRoutes = [
  operationRoute({
    id: 'registry.createToken',
    method: 'POST',
    path,
    summary: 'Create a publishing token (administrators only)',
    description:
      'The answer holds the token, this once: the registry keeps its SHA-256 only. Without `namespaces` it may publish everywhere, without `ttl` it does not expire. A `read_only` one publishes nowhere, and reads from a private registry: all namespaces, or those of `read`. An `administrator` may also manage tokens.',
    access: access.administer,
    body: z.strictObject({
      name: z.string(),
      namespaces: z.array(z.string()).nullable().optional(),
      read: z.array(z.string()).nullable().optional(),
      read_only: z.boolean().optional(),
      administrator: z.boolean().optional(),
      ttl: Ttl.optional(),
    }),
    refusals: ['administrator_required'],
    success: 201,
    reply: NewToken,
    before: checkAdministrator,
    run: tokenOperations.createToken,
    with: ({ body: { name, namespaces, read, read_only: readOnly, administrator, ttl } }) => [
      {
        name,
        namespaces: namespaces ?? undefined,
        reads: read ?? undefined,
        readOnly,
        administrator,
        ttlMs: ttlMsOf(ttl),
      },
    ],
    show: (made) => reply(toNew(made), { status: 201, headers: { 'cache-control': 'no-store' } }),
  }),
  operationRoute({
    id: 'registry.listTokens',
    method: 'GET',
    path,
    summary: 'List the publishing tokens, without their secrets (administrators only)',
    access: access.administer,
    reply: z.object({ tokens: z.array(TokenSummary) }),
    refusals: ['administrator_required'],
    before: checkAdministrator,
    run: tokenOperations.listTokens,
    answer: (tokens) => reply({ tokens: tokens.map(toSummary) }),
  }),
  operationRoute({
    id: 'registry.removeToken',
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Revoke a token by its id (administrators only)',
    access: access.administer,
    refusals: ['administrator_required'],
    before: checkAdministrator,
    run: tokenOperations.removeToken,
    with: ({ params }) => [params.id],
  }),
  operationRoute({
    id: 'registry.history',
    method: 'PUT',
    path: `${root}/modules/:namespace/:name/:provider/history`,
    summary: 'Set the dates and the downloads that a module had in another registry (administrators only)',
    access: access.administer,
    refusals: ['administrator_required'],
    body: z.strictObject({
      downloads: z.int().min(0),
      versions: z.array(z.strictObject({ version: z.string(), published_at: Published })),
    }),
    before: checkAdministrator,
    run: historyOperations.setHistory,
    with: ({ params, body: { downloads, versions } }) => [
      params,
      {
        downloads,
        versions: versions.map(({ version, published_at }) => ({ version, publishedMicros: published_at })),
      },
    ],
  }),
  operationRoute({
    id: 'registry.audit',
    method: 'GET',
    path: `${root}/audit`,
    summary: 'Read the audit trail, newest change first (administrators only)',
    access: access.administer,
    refusals: ['administrator_required'],
    query: TrailWireQuery,
    reply: TrailReply,
    before: checkAdministrator,
    run: auditOperations.readAudit,
    with: ({ query }) => [trailQueryOf(query)],
    show: (trail) => reply(trailView(trail)),
  }),
]
