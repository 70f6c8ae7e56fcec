import type * as z from 'zod'
import { type Refused, refuse } from '../../../kernel/index.ts'
import { canonicalPath, type Mount } from '../../mounts/index.ts'
import {
  answerDone,
  answerTwice,
  answerWith,
  anyTokenOrNone,
  notFound,
  operationRoute,
  type SecretsContext,
} from '../core/context.ts'
import { mayWarn, orNothing } from '../core/reply-shapes.ts'
import { mountOperations, mountRouteOperations } from './operations.ts'
import {
  MountBody,
  MountOrTuning,
  Mounts,
  Moved,
  MoveStatus,
  mountWire,
  RemountBody,
  tuneWire,
  UiMount,
  UiMounts,
} from './wire.ts'

/** The two kinds of mounts: the path of their routes, and the prefix of their mount paths. */
const kinds = [
  { kind: 'secret', root: '/mounts', prefix: '', what: 'secrets engine', right: '' },
  { kind: 'auth', root: '/auth', prefix: 'auth/', what: 'auth method', right: ' and sudo' },
] as const

/** How lists show a mount. */
const wireFor =
  ({ core }: SecretsContext) =>
  (mount: Mount) =>
    mountWire(mount, core.version)

const wireOf = (mounts: readonly Mount[], prefix: string, wire: (mount: Mount) => object) =>
  Object.fromEntries(mounts.map((mount) => [mount.path.slice(prefix.length), wire(mount)]))

/** The fields of a mount that every caller can read. */
const signboardWire = ({ type, description, options }: Mount) => ({ type, description, options })

/** `x/tune` is the settings of the mount at `x/`; anything else is a mount's path. */
const tuned = (path: string): string | undefined =>
  path === 'tune' ? undefined : path.endsWith('/tune') ? path.slice(0, -'tune'.length) : undefined

/** Refuses auth methods on the routes of secrets engines: they are mounted at `sys/auth` only, which requires `sudo`. */
const misplaced = (kind: 'secret' | 'auth', path: string): Refused<'mount_path_protected'> | undefined =>
  kind === 'secret' && canonicalPath(path).startsWith('auth/')
    ? refuse('mount_path_protected', 'auth methods are mounted and unmounted at sys/auth, not at sys/mounts')
    : undefined

/** The lists of names in a body. */
const namesOf = (body: Partial<z.output<typeof MountBody>>) => ({
  auditNonHmacRequestKeys: body.audit_non_hmac_request_keys && [...body.audit_non_hmac_request_keys],
  auditNonHmacResponseKeys: body.audit_non_hmac_response_keys && [...body.audit_non_hmac_response_keys],
  passthroughRequestHeaders: body.passthrough_request_headers && [...body.passthrough_request_headers],
  allowedResponseHeaders: body.allowed_response_headers && [...body.allowed_response_headers],
})

/** The settings in a body that changes a mount. */
const tuneOf = (body: z.output<typeof MountBody>, path: string) => ({
  path,
  description: body.description,
  defaultLeaseTtlSeconds: body.default_lease_ttl ?? undefined,
  maxLeaseTtlSeconds: body.max_lease_ttl ?? undefined,
  options: body.options,
  tokenType: body.token_type,
  listingVisibility: body.listing_visibility ?? undefined,
  userLockout: body.user_lockout_config,
  ...namesOf(body),
})

const secondsOf = (given: number | 'system' | null | undefined) =>
  given === 'system' ? 0 : (given ?? undefined)

/** The settings in a body that creates a mount. */
const enableOf = ({ config, ...body }: z.output<typeof MountBody>, path: string) => ({
  path,
  type: body.type ?? '',
  description: body.description,
  options: body.options,
  defaultLeaseTtlSeconds: secondsOf(config?.default_lease_ttl),
  maxLeaseTtlSeconds: secondsOf(config?.max_lease_ttl),
  tokenType: config?.token_type,
  listingVisibility: config?.listing_visibility ?? undefined,
  userLockout: config?.user_lockout_config,
  ...namesOf(config ?? {}),
  local: body.local,
  sealWrap: body.seal_wrap,
})

const upgradeBegun =
  'Upgrading mount from version 1 to version 2. This mount will be unavailable for a brief period and will resume service shortly.'

/** The routes about mounts, for secrets engines and auth methods alike. */
export const mountRoutes = [
  ...kinds.flatMap(({ kind, root, prefix, what, right }) => [
    operationRoute({
      id: `sys.list-${kind}-mounts`,
      method: 'GET',
      path: root,
      summary: `List every ${what}`,
      access: 'read',
      reply: Mounts,
      run: mountOperations.list,
      with: () => [kind],
      show: (mounts, { context }) => answerTwice(context, wireOf(mounts, prefix, wireFor(context))),
    }),
    operationRoute({
      id: `sys.read-${kind}-mount`,
      method: 'GET',
      path: `${root}/*path`,
      summary: `Read a mounted ${what}, or its settings at …/tune`,
      access: `read${right}`,
      reply: MountOrTuning,
      run: mountRouteOperations.read,
      with: ({ params }) => [prefix + (tuned(params['path'] ?? '') ?? params['path'] ?? '')],
      show: (mount, { context, params }) =>
        answerTwice(
          context,
          tuned(params['path'] ?? '') === undefined
            ? mountWire(mount, context.core.version)
            : tuneWire(mount, context.core.mountPolicy),
        ),
    }),
    operationRoute({
      id: `sys.mount-${kind}`,
      method: 'POST',
      path: `${root}/*path`,
      summary: `Mount a ${what}, or change its settings at …/tune`,
      access: `create or update${right}`,
      body: MountBody,
      refusals: ['mount_path_protected'],
      ...mayWarn,
      run: mountRouteOperations.write,
      with: ({ params, body }) => {
        const path = tuned(params['path'] ?? '')
        if (path !== undefined) return [{ tune: tuneOf(body, prefix + path) }]
        const wrong = misplaced(kind, params['path'] ?? '')
        return wrong ?? [{ enable: enableOf(body, prefix + (params['path'] ?? '')) }]
      },
      show: ({ upgrade }, { context }) => answerDone(context, upgrade ? [upgradeBegun] : []),
    }),
    operationRoute({
      id: `sys.unmount-${kind}`,
      method: 'DELETE',
      path: `${root}/*path`,
      summary: `Unmount a ${what} and delete its data`,
      access: `delete${right}`,
      refusals: ['mount_path_protected'],
      run: mountOperations.disable,
      with: ({ params }) => misplaced(kind, params['path'] ?? '') ?? [prefix + (params['path'] ?? '')],
    }),
  ]),
  operationRoute({
    id: 'sys.remount',
    method: 'POST',
    path: '/remount',
    summary: 'Move a mount with its data',
    access: 'update and sudo',
    body: RemountBody,
    refusals: ['remount_paths_missing'],
    reply: Moved,
    run: mountRouteOperations.move,
    with: ({ body }) =>
      body.from && body.to
        ? [body.from, body.to]
        : refuse('remount_paths_missing', 'both from and to path must be specified as a string'),
    show: ({ migration }, { context }) => answerTwice(context, { migration_id: migration }),
  }),
  operationRoute({
    id: 'sys.remount-status',
    method: 'GET',
    path: '/remount/status/:id',
    summary: 'Read the status of a move; a move is complete when its request returns',
    access: 'read',
    reply: MoveStatus,
    ...orNothing,
    run: mountRouteOperations.moved,
    with: ({ params }) => [params.id],
    show: (moved, { context, params }) =>
      moved === undefined
        ? notFound
        : answerTwice(context, {
            migration_id: params.id,
            migration_info: { source_mount: moved.from, target_mount: moved.to, status: 'success' },
          }),
  }),
  operationRoute({
    id: 'sys.ui-mounts',
    method: 'GET',
    path: '/internal/ui/mounts',
    summary: 'List the mounts that the caller may use, for a user interface',
    description: 'Mounts with listing visibility `unauth` are shown to unauthenticated callers too.',
    access: anyTokenOrNone,
    reply: UiMounts,
    run: mountRouteOperations.usable,
    show: ({ secret, auth }, { context }) => {
      const shownAs = context.caller ? wireFor(context) : signboardWire
      return answerWith(context, {
        data: { secret: wireOf(secret, '', shownAs), auth: wireOf(auth, 'auth/', shownAs) },
      })
    },
  }),
  operationRoute({
    id: 'sys.ui-mount',
    method: 'GET',
    path: '/internal/ui/mounts/*path',
    summary: 'Read the mount of a path; clients use it to detect the key/value version',
    access: anyTokenOrNone,
    reply: UiMount,
    run: mountRouteOperations.usableAt,
    with: ({ params }) => [params.path],
    show: (mount, { context }) =>
      answerWith(context, { data: { ...mountWire(mount, context.core.version), path: mount.path } }),
  }),
]
