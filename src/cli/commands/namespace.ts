import { applyCommand } from '../client/apply.ts'
import { objectCommands } from '../client/scheduler-objects.ts'
import type { Group } from '../command/declaration.ts'

/** Namespaces and node pools are known by their names, and have a description. */
const named = (group: string, one: string, many: string, at: string) => {
  const kind = {
    group,
    one: `a ${one}`,
    many: `the ${many}`,
    word: { name: 'NAME', about: `the name of a ${one}` },
    listed: `${at}s`,
    at,
    columns: ['Name', 'Description'],
    sample: { show: 'trial', delete: 'trial' },
  } as const
  return {
    about: `${many} of the scheduler`,
    commands: { apply: applyCommand(kind), ...objectCommands(kind) },
  } as const satisfies Group
}

export const namespace = named('namespace', 'namespace', 'namespaces', 'namespace')

export const nodePool = named('node pool', 'node pool', 'node pools', 'node/pool')
