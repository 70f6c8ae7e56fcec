import { applyCommand } from '../client/apply.ts'
import { objectCommands } from '../client/scheduler-objects.ts'
import type { Group } from '../command/declaration.ts'

/** The commands for namespaces and node pools, which are identified by their names and have a description. */
const named = (group: string, at: string) => {
  const kind = {
    group,
    one: `a ${group}`,
    many: `the ${group}s`,
    word: { name: 'NAME', about: `the name of a ${group}` },
    listed: `${at}s`,
    at,
    columns: ['Name', 'Description'],
    sample: { show: 'trial', delete: 'trial' },
  } as const
  return {
    about: `${group}s of the scheduler`,
    commands: { apply: applyCommand(kind), ...objectCommands(kind) },
  } as const satisfies Group
}

export const namespace = named('namespace', 'namespace')

export const nodePool = named('node pool', 'node/pool')
