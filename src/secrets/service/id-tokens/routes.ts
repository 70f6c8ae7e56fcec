import { type Reply, reply } from '../../../http/index.ts'
import { answerWith, asData, asKeys, operationRoute } from '../core/context.ts'
import { listsKeys, mayWarn, orNothing } from '../core/reply-shapes.ts'
import { introspectIdToken, issueIdToken, issuer, publicKeys } from './issuing.ts'
import { idTokenOperations } from './operations.ts'
import {
  ActiveReply,
  DiscoveryReply,
  discoveryWire,
  IntrospectBody,
  IssuerBody,
  IssuerReply,
  KeyBody,
  KeyReply,
  keyView,
  PublicKeysReply,
  RoleBody,
  RoleReply,
  RotateBody,
  roleView,
  TokenReply,
  templateOf,
} from './wire.ts'

const withoutIssuer = 'No issuer is set: the issuer claim of tokens has no scheme and host.'
const issuerIsSet =
  'Tokens are validated against the issuer that is set; those of another issuer are no longer valid.'

/** The routes of the keys that sign ID tokens. */
const keyRoutes = [
  operationRoute({
    id: 'identity.token-keys',
    method: 'LIST',
    path: '/oidc/key',
    summary: 'List the keys that sign ID tokens',
    access: 'list',
    ...listsKeys,
    run: idTokenOperations.keys,
    show: asKeys,
  }),
  operationRoute({
    id: 'identity.read-token-key',
    method: 'GET',
    path: '/oidc/key/:name',
    summary: 'Read the settings of a key; its material is never shown',
    access: 'read',
    reply: KeyReply,
    ...orNothing,
    run: idTokenOperations.readKey,
    with: ({ params }) => [params.name],
    show: asData(keyView.show),
  }),
  operationRoute({
    id: 'identity.write-token-key',
    method: 'POST',
    path: '/oidc/key/:name',
    summary: 'Create or change a key; another algorithm gives it new material',
    description:
      '`algorithm` is RS256, RS384, RS512, ES256, ES384, ES512 or EdDSA. `allowed_client_ids` names the client IDs of the roles that may sign with the key; `*` is all of them.',
    access: 'create or update',
    body: KeyBody,
    run: idTokenOperations.writeKey,
    with: ({ params, body }) => [
      {
        name: params.name,
        algorithm: body.algorithm,
        rotationPeriodSeconds: body.rotation_period,
        verificationTtlSeconds: body.verification_ttl,
        allowedClientIds: body.allowed_client_ids,
      },
    ],
  }),
  operationRoute({
    id: 'identity.delete-token-key',
    method: 'DELETE',
    path: '/oidc/key/:name',
    summary: 'Delete a key that no role uses',
    access: 'delete',
    run: idTokenOperations.deleteKey,
    with: ({ params }) => [params.name],
  }),
  operationRoute({
    id: 'identity.rotate-token-key',
    method: 'POST',
    path: '/oidc/key/:name/rotate',
    summary: 'Sign with new material; the old public key verifies for its TTL, or for the given one',
    access: 'update',
    body: RotateBody,
    run: idTokenOperations.rotateKey,
    with: ({ params, body }) => [params.name, body.verification_ttl],
  }),
]

/** The routes of the roles of ID tokens. */
const roleRoutes = [
  operationRoute({
    id: 'identity.token-roles',
    method: 'LIST',
    path: '/oidc/role',
    summary: 'List the roles of ID tokens',
    access: 'list',
    ...listsKeys,
    run: idTokenOperations.roles,
    show: asKeys,
  }),
  operationRoute({
    id: 'identity.read-token-role',
    method: 'GET',
    path: '/oidc/role/:name',
    summary: 'Read a role of ID tokens',
    access: 'read',
    reply: RoleReply,
    ...orNothing,
    run: idTokenOperations.readRole,
    with: ({ params }) => [params.name],
    show: asData(roleView.show),
  }),
  operationRoute({
    id: 'identity.write-token-role',
    method: 'POST',
    path: '/oidc/role/:name',
    summary: 'Create or change a role of ID tokens; its key must exist',
    description:
      '`template` is a JSON object, or its base64, whose fields are added to the claims; `{{identity.entity.name}}`, `…groups.names`, `…metadata.KEY`, `…aliases.ACCESSOR.name` and `{{time.now.plus.1h}}` stand for JSON values.',
    access: 'create or update',
    body: RoleBody,
    run: idTokenOperations.writeRole,
    with: ({ params, body }) => [
      {
        name: params.name,
        key: body.key,
        template: templateOf(body.template),
        clientId: body.client_id,
        ttlSeconds: body.ttl,
      },
    ],
  }),
  operationRoute({
    id: 'identity.delete-token-role',
    method: 'DELETE',
    path: '/oidc/role/:name',
    summary: 'Delete a role of ID tokens; the public keys of its key are no longer published for it',
    access: 'delete',
    run: idTokenOperations.deleteRole,
    with: ({ params }) => [params.name],
  }),
]

/** The routes of ID tokens, relative to the identity store. */
export const idTokenRoutes = [
  ...keyRoutes,
  ...roleRoutes,
  operationRoute({
    id: 'identity.read-token-config',
    method: 'GET',
    path: '/oidc/config',
    summary: 'Read the issuer of ID tokens',
    access: 'read',
    reply: IssuerReply,
    run: idTokenOperations.issuerOrigin,
    show: (issuer, { context }) =>
      answerWith(context, { data: { issuer }, warnings: issuer === '' ? [withoutIssuer] : [] }),
  }),
  operationRoute({
    id: 'identity.write-token-config',
    method: 'POST',
    path: '/oidc/config',
    summary: 'Set the scheme, host and port of the issuer of ID tokens',
    access: 'update',
    body: IssuerBody,
    ...mayWarn,
    run: idTokenOperations.writeIssuer,
    with: ({ body }) => [body.issuer],
    show: (issuer, { context }): Reply =>
      issuer ? answerWith(context, { warnings: [issuerIsSet] }) : { status: 204 },
  }),
  operationRoute({
    id: 'identity.issue-token',
    method: 'GET',
    path: '/oidc/token/:name',
    summary: "Get an ID token about the caller's entity, signed with the key of a role",
    access: 'read',
    reply: TokenReply,
    run: issueIdToken,
    with: ({ params }) => [params.name],
    show: asData(({ token, clientId, ttlSeconds }) => ({ token, client_id: clientId, ttl: ttlSeconds })),
  }),
  operationRoute({
    id: 'identity.introspect-token',
    method: 'POST',
    path: '/oidc/introspect',
    summary: 'Tell whether an ID token is valid and its entity enabled',
    access: 'update',
    body: IntrospectBody,
    reply: ActiveReply,
    run: introspectIdToken,
    with: ({ body }) => [body.token ?? '', body.client_id ?? ''],
    show: (error) => reply(error === undefined ? { active: true } : { active: false, error }),
  }),
  operationRoute({
    id: 'identity.token-discovery',
    method: 'GET',
    path: '/oidc/.well-known/openid-configuration',
    summary: 'Read the discovery document of the issuer of ID tokens',
    access: 'none',
    reply: DiscoveryReply,
    run: issuer,
    show: (issuer) => reply(discoveryWire(issuer)),
  }),
  operationRoute({
    id: 'identity.token-public-keys',
    method: 'GET',
    path: '/oidc/.well-known/keys',
    summary: 'Read the public keys of ID tokens, as a JSON Web Key Set',
    access: 'none',
    reply: PublicKeysReply,
    run: publicKeys,
    show: (keys) => reply({ keys }),
  }),
]
