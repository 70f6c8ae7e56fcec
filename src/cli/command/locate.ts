import { nearest } from '../../kernel/nearest.ts'
import { ownValue } from '../../kernel/objects.ts'
import { UserError } from '../user-error.ts'
import { type AnyCommand, type Group, isGroup } from './declaration.ts'

/** A command or group that a command line names, and what follows it. */
export interface Located {
  /** As in `['plinth', 'kv', 'get']`. */
  readonly names: readonly string[]
  readonly node: AnyCommand | Group
  readonly rest: readonly string[]
}

/** Finds what the first words of a command line name; refuses a word that names nothing. */
export function locate(root: Group, args: readonly string[]): Located {
  const names = ['plinth']
  let node: AnyCommand | Group = root
  for (const [at, name] of args.entries()) {
    if (!isGroup(node) || name.startsWith('-')) return { names, node, rest: args.slice(at) }
    const next: AnyCommand | Group | undefined = ownValue(node.commands, name)
    if (next === undefined) throw unknownCommand(names, node, name)
    names.push(name)
    node = next
  }
  return { names, node, rest: [] }
}

function unknownCommand(names: readonly string[], { commands }: Group, name: string): UserError {
  const meant = nearest(name, [...Object.keys(commands), ...(names.length === 1 ? ['help', 'version'] : [])])
  const within = names.slice(1).join(' ')
  const wanted = within === '' ? name : `${within} ${name}`
  const hint = meant === undefined ? '.' : `; did you mean ${within === '' ? meant : `${within} ${meant}`}?`
  return new UserError(`there is no command "${wanted}"${hint} See ${names.join(' ')} --help.`, 2)
}
