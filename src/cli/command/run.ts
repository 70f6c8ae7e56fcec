import { UserError } from '../user-error.ts'
import type { AnyCommand, Group } from './declaration.ts'
import { isGroup } from './declaration.ts'
import { locate } from './locate.ts'
import { helpOf, parse } from './parse.ts'

const helpFlags: readonly string[] = ['--help', '-help', '-h']

/** Runs a command line, and returns its exit code. `help` is the first word or a flag. */
export async function runCommandLine(root: Group, args: readonly string[]): Promise<number> {
  const [first] = args
  if (first === undefined) return showHelp(['plinth'], root)
  if (first === 'help' || helpFlags.includes(first)) {
    // Help about help is the general help.
    const topic = args.slice(1).filter((word) => word !== 'help' && !helpFlags.includes(word))
    const { names, node } = locate(root, topic)
    return showHelp(names, node)
  }
  // Called by the completion scripts: `plinth __complete -- kv g`.
  if (first === '__complete') return propose(root, args.slice(args[1] === '--' ? 2 : 1))
  const { names, node, rest } = locate(root, args)
  if (asksForHelp(rest)) return showHelp(names, node)
  if (isGroup(node)) {
    const [flag] = rest
    if (flag !== undefined)
      throw new UserError(
        `${flag} is not a global flag: name the command first. See ${names.join(' ')} --help.`,
        2,
      )
    throw new UserError(
      `${names.join(' ')} needs a command: ${Object.keys(node.commands).join(', ')}. See ${names.join(' ')} --help.`,
      2,
    )
  }
  const given = parse(names, node, rest)
  return (await node.run(given)) ?? 0
}

function asksForHelp(args: readonly string[]): boolean {
  const literal = args.indexOf('--')
  return (literal < 0 ? args : args.slice(0, literal)).some((argument) => helpFlags.includes(argument))
}

function showHelp(names: readonly string[], node: AnyCommand | Group): number {
  process.stdout.write(helpOf(names, node))
  return 0
}

async function propose(root: Group, words: readonly string[]): Promise<number> {
  const { proposals } = await import('./proposals.ts')
  for (const [word, about] of proposals(root, words)) process.stdout.write(`${word}\t${about}\n`)
  return 0
}
