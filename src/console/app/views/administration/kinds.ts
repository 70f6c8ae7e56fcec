import type { ServiceName } from '../../data/services.ts'

/** A row as the list of its kind answers it. */
export type Item = Readonly<Record<string, unknown>>

/** The request of an operation as a form: `{id}` in its path is the name of the object. */
export interface Form {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  /** Fields of the request that are shown first; one with a dot is inside of another. */
  readonly fields: readonly string[]
  /** Whether the other fields of the request follow. */
  readonly isWhole?: boolean
  /** The field of the answer that is shown once: a token. */
  readonly shows?: string
}

/** A kind of objects that one view lists, creates, changes and deletes. */
export interface Kind {
  readonly service: ServiceName
  readonly slug: string
  readonly title: string
  readonly noun: string
  /** What they are for, for readers who have none yet. */
  readonly about: string
  /** What they belong to, as `{within}` in paths: the mounts of an auth method, the owners of boxes. */
  readonly within?: {
    readonly title: string
    readonly path: string
    readonly method?: string
    readonly alsoMethod?: string
    readonly of?: string
    readonly rows?: string
    /** Names of further objects in each of them, by their list: `{id}` in its path is the name of the first. */
    readonly inside?: string
  }
  readonly list: string
  /** Where the rows are in the answer; a list of keys, or an object of rows by key, gets the key as `id`. */
  readonly rows?: string
  /** Shows only rows of these types. */
  readonly types?: readonly string[]
  /** The field that names a row, and what it is called. */
  readonly id: string
  readonly idTitle?: string
  /** The fields that the list shows besides: each with its title. */
  readonly columns: Readonly<Record<string, string>>
  readonly create?: Form
  readonly change?: Form | 'as created'
  /** Where the values of a form come from, if not from the row. */
  readonly read?: string
  readonly remove?: {
    readonly verb: string
    readonly path: string
    readonly text: string
    /** Sends the name in this field of a POST. */
    readonly body?: string
    /** The types of rows that are never removed. */
    readonly except?: readonly string[]
  }
}

const mounted = (method: string, alsoMethod = method) =>
  ({
    service: 'secrets',
    within: { title: 'Mount', path: '/v1/sys/auth', method, alsoMethod },
    rows: 'data.keys',
    id: 'id',
  }) satisfies Partial<Kind>
const tuned = ['description', 'default_lease_ttl', 'max_lease_ttl', 'listing_visibility']
const userFields = [
  'password',
  'token_policies',
  'token_ttl',
  'token_max_ttl',
  'token_num_uses',
  'token_bound_cidrs',
]

/** Everything that is administered, by service in the order of the navigation. */
export const kinds: readonly Kind[] = [
  {
    service: 'secrets',
    slug: 'engines',
    title: 'Engines',
    noun: 'secrets engine',
    about:
      'A secrets engine stores or makes secrets below its path: kv for key/value pairs, transit for encryption.',
    list: '/v1/sys/mounts',
    rows: 'data',
    id: 'id',
    idTitle: 'Path',
    columns: { type: 'Type', description: 'Description', accessor: 'Accessor' },
    create: { method: 'POST', path: '/v1/sys/mounts/{id}', fields: ['type', 'description', 'options'] },
    change: { method: 'POST', path: '/v1/sys/mounts/{id}/tune', fields: tuned },
    read: '/v1/sys/mounts/{id}/tune',
    remove: {
      verb: 'Disable',
      path: '/v1/sys/mounts/{id}',
      text: 'Everything that it stores is deleted.',
      except: ['system', 'identity', 'cubbyhole'],
    },
  },
  {
    service: 'secrets',
    slug: 'auth-methods',
    title: 'Auth methods',
    noun: 'auth method',
    about:
      'An auth method turns a sign-in into a token: userpass for passwords, approle for machines, jwt for OIDC.',
    list: '/v1/sys/auth',
    rows: 'data',
    id: 'id',
    idTitle: 'Path',
    columns: { type: 'Type', description: 'Description', accessor: 'Accessor' },
    create: { method: 'POST', path: '/v1/sys/auth/{id}', fields: ['type', 'description'] },
    change: { method: 'POST', path: '/v1/sys/auth/{id}/tune', fields: [...tuned, 'token_type'] },
    read: '/v1/sys/auth/{id}/tune',
    remove: {
      verb: 'Disable',
      path: '/v1/sys/auth/{id}',
      text: 'Its users and roles are deleted, and the tokens that it issued are revoked.',
      except: ['token'],
    },
  },
  {
    ...mounted('userpass'),
    slug: 'users',
    title: 'Users',
    noun: 'user',
    about: 'A user signs in with a name and a password, and receives a token with the policies given here.',
    list: '/v1/auth/{within}/users?list=true',
    columns: {},
    create: { method: 'POST', path: '/v1/auth/{within}/users/{id}', fields: userFields, isWhole: true },
    change: 'as created',
    read: '/v1/auth/{within}/users/{id}',
    remove: {
      verb: 'Delete',
      path: '/v1/auth/{within}/users/{id}',
      text: 'The user can no longer sign in; tokens issued before stay valid until they expire.',
    },
  },
  {
    ...mounted('approle'),
    slug: 'app-roles',
    title: 'App roles',
    noun: 'app role',
    about: 'A machine signs in with the ID of an app role and a secret ID.',
    list: '/v1/auth/{within}/role?list=true',
    columns: {},
    create: {
      method: 'POST',
      path: '/v1/auth/{within}/role/{id}',
      fields: ['token_policies', 'token_ttl', 'secret_id_ttl', 'secret_id_num_uses'],
      isWhole: true,
    },
    change: 'as created',
    read: '/v1/auth/{within}/role/{id}',
    remove: { verb: 'Delete', path: '/v1/auth/{within}/role/{id}', text: 'Its secret IDs end with it.' },
  },
  {
    ...mounted('approle'),
    within: {
      title: 'App role',
      path: '/v1/sys/auth',
      method: 'approle',
      inside: '/v1/auth/{id}/role?list=true',
    },
    slug: 'secret-ids',
    title: 'Secret IDs',
    noun: 'secret ID',
    about: 'A machine signs in with the role ID of an app role and a secret ID, which is shown once.',
    list: '/v1/auth/{within}/secret-id?list=true',
    idTitle: 'Accessor',
    columns: {},
    create: {
      method: 'POST',
      path: '/v1/auth/{within}/secret-id',
      fields: ['metadata', 'ttl', 'num_uses', 'cidr_list'],
      shows: 'secret_id',
    },
    remove: {
      verb: 'Destroy',
      path: '/v1/auth/{within}/secret-id-accessor/destroy',
      body: 'secret_id_accessor',
      text: 'Sign-ins with it are refused; tokens issued before stay valid until they expire.',
    },
  },
  {
    service: 'secrets',
    slug: 'jwt-providers',
    title: 'JWT providers',
    noun: 'JWT provider',
    about: 'The identity provider whose tokens an auth method of type jwt or oidc accepts: its URL and keys.',
    list: '/v1/sys/auth',
    rows: 'data',
    types: ['jwt', 'oidc'],
    id: 'id',
    idTitle: 'Mount',
    columns: { type: 'Type', description: 'Description' },
    change: {
      method: 'POST',
      path: '/v1/auth/{id}/config',
      fields: [
        'oidc_discovery_url',
        'oidc_client_id',
        'oidc_client_secret',
        'jwks_url',
        'jwt_validation_pubkeys',
        'bound_issuer',
        'default_role',
      ],
    },
    read: '/v1/auth/{id}/config',
  },
  {
    ...mounted('jwt', 'oidc'),
    slug: 'jwt-roles',
    title: 'JWT roles',
    noun: 'JWT role',
    about: 'A role says which claims of an OIDC or JWT sign-in receive which policies.',
    list: '/v1/auth/{within}/role?list=true',
    columns: {},
    create: {
      method: 'POST',
      path: '/v1/auth/{within}/role/{id}',
      fields: [
        'role_type',
        'user_claim',
        'allowed_redirect_uris',
        'bound_audiences',
        'token_policies',
        'token_ttl',
      ],
      isWhole: true,
    },
    change: 'as created',
    read: '/v1/auth/{within}/role/{id}',
    remove: {
      verb: 'Delete',
      path: '/v1/auth/{within}/role/{id}',
      text: 'Sign-ins for this role are refused.',
    },
  },
  {
    service: 'secrets',
    slug: 'token-roles',
    title: 'Token roles',
    noun: 'token role',
    about: 'A token role limits the tokens that are created for it: their policies, period and addresses.',
    list: '/v1/auth/token/roles?list=true',
    rows: 'data.keys',
    id: 'id',
    columns: {},
    create: {
      method: 'POST',
      path: '/v1/auth/token/roles/{id}',
      fields: ['allowed_policies', 'orphan', 'renewable', 'token_period', 'token_num_uses'],
      isWhole: true,
    },
    change: 'as created',
    read: '/v1/auth/token/roles/{id}',
    remove: {
      verb: 'Delete',
      path: '/v1/auth/token/roles/{id}',
      text: 'Its tokens stay valid until they expire.',
    },
  },
  {
    service: 'secrets',
    slug: 'audit-devices',
    title: 'Audit devices',
    noun: 'audit device',
    about:
      'An audit device records every request and answer: enable one with type file and the option file_path.',
    list: '/v1/sys/audit',
    rows: 'data',
    id: 'id',
    idTitle: 'Path',
    columns: { type: 'Type', description: 'Description', options: 'Options' },
    create: { method: 'POST', path: '/v1/sys/audit/{id}', fields: ['type', 'description', 'options'] },
    remove: { verb: 'Disable', path: '/v1/sys/audit/{id}', text: 'Requests are no longer recorded by it.' },
  },
  {
    service: 'scheduler',
    slug: 'variables',
    title: 'Variables',
    noun: 'variable',
    about: 'A variable holds items of configuration at a path; jobs read them.',
    within: { title: 'Namespace', path: '/v1/namespaces', of: 'Name' },
    list: '/v1/vars?namespace={within}',
    id: 'Path',
    idTitle: 'Path',
    columns: { Namespace: 'Namespace', ModifyIndex: 'Modify index' },
    create: { method: 'PUT', path: '/v1/var/{id}?namespace={within}', fields: ['Items'] },
    change: 'as created',
    read: '/v1/var/{id}?namespace={within}',
    remove: {
      verb: 'Delete',
      path: '/v1/var/{id}?namespace={within}',
      text: 'Jobs that read it no longer find it.',
    },
  },
  {
    service: 'scheduler',
    slug: 'namespaces',
    title: 'Namespaces',
    noun: 'namespace',
    about: 'A namespace keeps the jobs and variables of a team apart from those of others.',
    list: '/v1/namespaces',
    id: 'Name',
    columns: { Description: 'Description', Quota: 'Quota' },
    create: { method: 'POST', path: '/v1/namespace/{id}', fields: ['Description', 'Meta'] },
    change: 'as created',
    remove: {
      verb: 'Delete',
      path: '/v1/namespace/{id}',
      text: 'Only a namespace without jobs can be deleted.',
    },
  },
  {
    service: 'scheduler',
    slug: 'node-pools',
    title: 'Node pools',
    noun: 'node pool',
    about: 'A node pool is a set of nodes that jobs can ask for, such as those with a GPU.',
    list: '/v1/node/pools',
    id: 'Name',
    columns: { Description: 'Description', Meta: 'Meta' },
    create: { method: 'POST', path: '/v1/node/pool/{id}', fields: ['Description', 'Meta'] },
    change: 'as created',
    remove: {
      verb: 'Delete',
      path: '/v1/node/pool/{id}',
      text: 'Only a pool without nodes and jobs can be deleted.',
    },
  },
  {
    service: 'scheduler',
    slug: 'acl-policies',
    title: 'ACL policies',
    noun: 'ACL policy',
    about: 'An ACL policy says what its tokens may do in which namespace.',
    list: '/v1/acl/policies',
    id: 'Name',
    columns: { Description: 'Description' },
    create: { method: 'POST', path: '/v1/acl/policy/{id}', fields: ['Description', 'Rules'] },
    change: 'as created',
    read: '/v1/acl/policy/{id}',
    remove: { verb: 'Delete', path: '/v1/acl/policy/{id}', text: 'Its tokens lose these rights at once.' },
  },
  {
    service: 'scheduler',
    slug: 'acl-roles',
    title: 'ACL roles',
    noun: 'ACL role',
    about: 'An ACL role names policies that its tokens have together.',
    list: '/v1/acl/roles',
    id: 'ID',
    idTitle: 'ID',
    columns: { Name: 'Name', Description: 'Description', Policies: 'Policies' },
    create: { method: 'POST', path: '/v1/acl/role', fields: ['Name', 'Description', 'Policies'] },
    change: { method: 'POST', path: '/v1/acl/role/{id}', fields: ['Name', 'Description', 'Policies'] },
    remove: {
      verb: 'Delete',
      path: '/v1/acl/role/{id}',
      text: 'Its tokens lose the rights of its policies at once.',
    },
  },
  {
    service: 'scheduler',
    slug: 'acl-tokens',
    title: 'ACL tokens',
    noun: 'ACL token',
    about: 'A token of type client has the rights of its policies; one of type management has all.',
    list: '/v1/acl/tokens',
    id: 'AccessorID',
    idTitle: 'Accessor',
    columns: { Name: 'Name', Type: 'Type', Policies: 'Policies', ExpirationTime: 'Expires' },
    create: {
      method: 'POST',
      path: '/v1/acl/token',
      fields: ['Name', 'Type', 'Policies', 'Roles', 'ExpirationTTL'],
      shows: 'SecretID',
    },
    remove: { verb: 'Revoke', path: '/v1/acl/token/{id}', text: 'Requests with it are refused at once.' },
  },
  {
    service: 'catalog',
    slug: 'tokens',
    title: 'Tokens',
    noun: 'token',
    about: 'A token lets a client or a CI system read or publish boxes without a password.',
    list: '/plinth/v1/tokens',
    rows: 'tokens',
    id: 'id',
    idTitle: 'ID',
    columns: {
      description: 'Description',
      username: 'User',
      role: 'Role',
      owners: 'Owners',
      expires_at: 'Expires',
      last_used_at: 'Last used',
    },
    create: {
      method: 'POST',
      path: '/plinth/v1/tokens',
      fields: ['description', 'username', 'role', 'owners', 'ttl'],
      shows: 'token',
    },
    remove: { verb: 'Revoke', path: '/plinth/v1/tokens/{id}', text: 'Requests with it are refused at once.' },
  },
  {
    service: 'catalog',
    slug: 'users',
    title: 'Users',
    noun: 'user',
    about: 'A user owns boxes, and can be a member of organizations.',
    list: '/plinth/v1/users?limit=100',
    rows: 'users',
    id: 'username',
    columns: { email: 'Email', administrator: 'Administrator', created_at: 'Created' },
    create: {
      method: 'POST',
      path: '/api/v2/users',
      fields: ['user.username', 'user.password', 'user.email', 'user.administrator'],
    },
    change: {
      method: 'PUT',
      path: '/plinth/v1/users/{id}',
      fields: ['password', 'email', 'administrator'],
    },
    remove: {
      verb: 'Delete',
      path: '/plinth/v1/users/{id}',
      text: 'Only a user who owns no boxes can be deleted.',
    },
  },
  {
    service: 'catalog',
    slug: 'organizations',
    title: 'Organizations',
    noun: 'organization',
    about: 'An organization owns boxes that its members publish.',
    list: '/plinth/v1/organizations',
    rows: 'organizations',
    id: 'username',
    columns: { members: 'Members', created_at: 'Created' },
    create: { method: 'POST', path: '/plinth/v1/organizations', fields: ['username', 'members'] },
    change: { method: 'PUT', path: '/plinth/v1/organizations/{id}', fields: ['members'] },
    remove: {
      verb: 'Delete',
      path: '/plinth/v1/organizations/{id}',
      text: 'Only an organization that owns no boxes can be deleted.',
    },
  },
  {
    service: 'catalog',
    slug: 'roles',
    title: 'Roles',
    noun: 'role',
    about: 'A role lets a user read, publish or administer all boxes of an owner.',
    within: { title: 'Owner', path: '/plinth/v1/organizations', rows: 'organizations', of: 'username' },
    list: '/plinth/v1/owners/{within}/members',
    rows: 'members',
    id: 'username',
    columns: { role: 'Role' },
    create: { method: 'PUT', path: '/plinth/v1/owners/{within}/members/{id}', fields: ['role'] },
    change: 'as created',
    remove: {
      verb: 'Remove',
      path: '/plinth/v1/owners/{within}/members/{id}',
      text: 'The user loses this role for the boxes of the owner.',
    },
  },
  {
    service: 'registry',
    slug: 'tokens',
    title: 'Tokens',
    noun: 'token',
    about: 'A token publishes to its namespaces, or reads modules if the registry asks for a token.',
    list: '/plinth/v1/tokens',
    rows: 'tokens',
    id: 'id',
    idTitle: 'ID',
    columns: {
      name: 'Name',
      namespaces: 'Namespaces',
      administrator: 'Administrator',
      expires_at: 'Expires',
    },
    create: {
      method: 'POST',
      path: '/plinth/v1/tokens',
      fields: ['name', 'namespaces', 'read', 'read_only', 'administrator', 'ttl'],
      shows: 'token',
    },
    remove: { verb: 'Revoke', path: '/plinth/v1/tokens/{id}', text: 'Requests with it are refused at once.' },
  },
  ...(['catalog', 'registry'] as const).map(
    (service): Kind => ({
      service,
      slug: 'webhooks',
      title: 'Webhooks',
      noun: 'webhook',
      about: 'A webhook sends a signed message to a URL when something is published, changed or deleted.',
      list: '/plinth/v1/webhooks',
      rows: 'webhooks',
      id: 'id',
      idTitle: 'ID',
      columns: { url: 'URL', events: 'Events', owner: 'Owner', created_at: 'Created' },
      create: {
        method: 'POST',
        path: '/plinth/v1/webhooks',
        fields: ['url', 'events', 'owner'],
        shows: 'secret',
      },
      remove: { verb: 'Delete', path: '/plinth/v1/webhooks/{id}', text: 'It receives no more messages.' },
    }),
  ),
  ...(['catalog', 'registry'] as const).map(
    (service): Kind => ({
      service,
      slug: 'audit',
      title: 'Audit trail',
      noun: 'change',
      about: 'Who changed what: the last 200 changes, newest first.',
      list: '/plinth/v1/audit?limit=200',
      rows: 'changes',
      id: 'time',
      idTitle: 'Time',
      columns: { type: 'Change', by: 'By', subject: 'Subject', detail: 'Detail' },
    }),
  ),
]

export const kindPath = ({ service, slug }: Pick<Kind, 'service' | 'slug'>): string => `/${service}/-/${slug}`
