import type { Flags } from '../command/declaration.ts'

/** Every flag of `plinth runner`, in the order of the help text. */
export const runnerFlags = {
  address: { type: 'string', value: 'URL', about: 'address of the scheduler (http://127.0.0.1:4646)' },
  node: { type: 'string', value: 'ID', about: 'ID of this node (generated once and stored)' },
  name: { type: 'string', value: 'NAME', about: 'name of the node (the name of this host)' },
  datacenter: { type: 'string', value: 'NAME', about: 'its datacenter (dc1)' },
  pool: { type: 'string', value: 'NAME', about: 'its node pool (default)' },
  dir: {
    type: 'string',
    value: 'DIRECTORY',
    about: 'folder for its secret, and for the files and logs of tasks (.plinth/runner)',
  },
  'keep-ended': {
    type: 'string',
    value: 'NUMBER',
    about: 'ended allocations whose files are kept, the latest ones (50)',
  },
  'keep-ended-for': { type: 'string', value: 'DURATION', about: 'how long they are kept at most (24h)' },
  json: { type: 'boolean', about: 'print one line of JSON when registered' },
} as const satisfies Flags

export const runnerEnvironment = {
  SCHEDULER_ADDR: 'address of the scheduler, or NOMAD_ADDR',
  SCHEDULER_TOKEN: 'a token with node:write, or NOMAD_TOKEN; only to register a new node',
} as const
