import type { Flags } from '../command/declaration.ts'

/** Every flag of `plinth serve`, in the order of the help text. */
export const serveFlags = {
  host: { type: 'string', value: 'ADDRESS', about: 'address to listen on (127.0.0.1)' },
  'secrets-port': {
    type: 'string',
    value: 'PORT',
    about: 'port of the secrets service (8200; 0 = any free one)',
  },
  'scheduler-port': { type: 'string', value: 'PORT', about: 'port of the job scheduler (4646)' },
  'gateway-port': { type: 'string', value: 'PORT', about: 'port of the gateway health endpoint (9203)' },
  'catalog-port': { type: 'string', value: 'PORT', about: 'port of the box catalog (8300)' },
  'registry-port': { type: 'string', value: 'PORT', about: 'port of the module registry (8400)' },
  only: { type: 'string', value: 'LIST', about: 'start only these services, such as catalog,registry' },
  'catalog-url': {
    type: 'string',
    value: 'URL',
    about: 'public address of the catalog, for the links in its answers',
  },
  'registry-url': {
    type: 'string',
    value: 'URL',
    about: 'public address of the module registry, for the links in its answers',
  },
  'console-url': {
    type: 'string',
    value: 'URL',
    about: 'public address of the console, for sign-in and for links to its pages',
  },
  'console-port': { type: 'string', value: 'PORT', about: 'port of the console, the web pages (4600)' },
  data: {
    type: 'string',
    value: 'WHERE',
    about:
      'memory (the default), a directory, sqlite:FILE, postgres://…, or etcd://HOST:PORT,HOST:PORT/PREFIX',
  },
  blobs: {
    type: 'string',
    value: 'WHERE',
    about:
      'a directory, or s3://BUCKET/PREFIX, where uploads are kept (blobs in the data directory, FILE-blobs beside a SQLite file; for postgres://… and etcd://…, where the last server kept them, at first .plinth/blobs)',
  },
  'dev-keys': { type: 'string', value: 'FILE', about: 'where dev mode keeps unseal keys and root token' },
  demo: { type: 'boolean', about: 'start with built-in sample data; implies --place and --worker' },
  load: { type: 'string', value: 'FILE', about: 'start with the records of a JSON file' },
  config: { type: 'string', value: 'FILE', about: 'read listeners and settings from an HCL or JSON file' },
  words: {
    type: 'string',
    multiple: true,
    value: 'WORD=ALIAS',
    about: 'accept another product name in headers (repeatable)',
  },
  acl: { type: 'boolean', about: 'enforce access control on the scheduler' },
  'management-token': {
    type: 'string',
    value: 'UUID',
    about: "the scheduler's management token; implies --acl",
  },
  'root-token': {
    type: 'string',
    value: 'TOKEN',
    about: 'the root token of the secrets service in dev mode',
  },
  'secrets-version': {
    type: 'string',
    value: 'VERSION',
    about:
      'version of the original that the secrets service reports, by which clients switch features (1.13.0)',
  },
  'catalog-user': {
    type: 'string',
    multiple: true,
    value: 'NAME:PASSWORD[:TOTPSECRET]',
    about: 'a user of the catalog; admin is an administrator (repeatable; admin with a random password)',
  },
  'registry-private': {
    type: 'boolean',
    about: 'reading modules needs a token of the registry, too',
  },
  'registry-token': {
    type: 'string',
    multiple: true,
    value: 'NAME:TOKEN[:NAMESPACE,…]',
    about:
      'a publishing token for these namespaces, or for all namespaces and for managing tokens (repeatable)',
  },
  'oidc-issuer': {
    type: 'string',
    value: 'URL',
    about: 'identity provider at which people sign in to the module registry (terraform login)',
  },
  'oidc-client-id': { type: 'string', value: 'ID', about: 'the client of the registry at the provider' },
  'oidc-client-secret-file': { type: 'string', value: 'FILE', about: 'file with the secret of the client' },
  'oidc-groups': {
    type: 'string',
    multiple: true,
    value: 'GROUP=NAMESPACE,…',
    about:
      'a group of the provider whose members may sign in: they read all modules and boxes, private ones included, and publish into these namespaces (* for all, nothing for none; repeatable)',
  },
  'pull-through': {
    type: 'string',
    value: 'URL',
    about:
      'another module registry, from which missing modules are copied when they are requested (token: PULL_THROUGH_TOKEN)',
  },
  'idp-script': {
    type: 'string',
    value: 'FILE',
    about: 'scripted identity provider: users, groups, factors',
  },
  production: {
    type: 'boolean',
    about: 'production mode: durable data, no generated tokens, users or keys, access control on',
  },
  'behind-proxy': {
    type: 'boolean',
    about:
      'a proxy on this machine or in a private network terminates TLS, so listeners need none, and names clients in X-Forwarded-For',
  },
  'max-body': {
    type: 'string',
    value: 'SIZE',
    about:
      'the largest body of a request on listeners without max_request_size, such as 8MiB (32MiB); uploads of images may be larger',
  },
  'access-log': {
    type: 'string',
    value: 'FILE',
    about:
      'a line of JSON for each request: to a file, which SIGHUP reopens, to standard error (-), or none (- in production)',
  },
  'keep-audit': {
    type: 'string',
    value: 'DURATION',
    about: 'how long the catalog and the registry keep the audit trail of their changes, such as 90d (400d)',
  },
  quota: {
    type: 'string',
    multiple: true,
    value: 'WHAT=N',
    about:
      'what each owner of boxes and each namespace of modules may have, where an administrator did not set it: bytes=100GiB, boxes=N, modules=N, versions=N; keep-versions=N deletes older versions (repeatable)',
  },
  'webhook-allow': {
    type: 'string',
    multiple: true,
    value: 'HOST|NETWORK',
    about:
      'a private host or network to which webhooks may be sent, such as ci.internal or 10.1.0.0/16 (repeatable)',
  },
  sealed: { type: 'boolean', about: 'start the secrets service uninitialised' },
  grace: {
    type: 'string',
    value: 'DURATION',
    about: 'report unhealthy for this long before shutting down, such as 3s (0s)',
  },
  worker: { type: 'boolean', about: 'report a connected worker on the health endpoint' },
  place: { type: 'boolean', about: 'place registered jobs on nodes' },
  'heartbeat-ttl': {
    type: 'string',
    value: 'DURATION',
    about:
      'how long after its last heartbeat a node is lost, such as 30s (30s for runners, no limit for others)',
  },
  'no-collect': {
    type: 'boolean',
    about:
      'keep dead jobs, down nodes and similar records, which are otherwise garbage-collected after hours',
  },
  json: { type: 'boolean', about: 'print one line of JSON when ready, and no other output, on stdout' },
} as const satisfies Flags

/** The services, in the order in which they start. */
export const serviceNames = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'] as const
export type ServiceName = (typeof serviceNames)[number]
