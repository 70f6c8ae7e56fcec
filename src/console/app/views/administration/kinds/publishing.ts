import type { KindRow } from '../kind.ts'

/** What the catalog and the registry have in common. */
const publishingKinds: readonly KindRow[] = [
  {
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
  },
  {
    slug: 'audit',
    title: 'Audit trail',
    noun: 'change',
    about: 'Who changed what: the last 200 changes, newest first.',
    list: '/plinth/v1/audit?limit=200',
    rows: 'changes',
    id: 'time',
    idTitle: 'Time',
    columns: { type: 'Change', by: 'By', subject: 'Subject', detail: 'Detail' },
  },
]

/** What is administered in the catalog, in the order of the navigation. */
export const catalogKinds: readonly KindRow[] = [
  {
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
  ...publishingKinds,
]

/** What is administered in the registry, in the order of the navigation. */
export const registryKinds: readonly KindRow[] = [
  {
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
  ...publishingKinds,
]
