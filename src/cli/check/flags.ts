import type { Flags } from '../command/declaration.ts'

export const checkFlags = {
  data: {
    type: 'string',
    value: 'WHERE',
    about: 'the data of a server: a directory, sqlite:FILE, postgres://…, or etcd://…',
    required: true,
  },
  realm: { type: 'string', value: 'NAME', about: 'only one of its parts, such as secrets' },
  json: { type: 'boolean', about: 'print one line of JSON for each part' },
} as const satisfies Flags
