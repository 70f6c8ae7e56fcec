import { ownValue } from '../../kernel/objects.ts'
import { type AnyCommand, type Commands, type Flags, type Group, isGroup } from './declaration.ts'

type Proposal = readonly [word: string, about: string]

/** The candidates for the last word of a command line, with descriptions. None: file names are completed. */
export function proposals(root: Group, words: readonly string[]): readonly Proposal[] {
  const before = words.slice(0, -1)
  const unfinished = words.at(-1) ?? ''
  if (before[0] === 'help') before.shift()
  let node: AnyCommand | Group = root
  while (isGroup(node)) {
    const [name] = before
    if (name === undefined) return beginning(commandProposals(node.commands), unfinished)
    const next: AnyCommand | Group | undefined = ownValue(node.commands, name)
    if (next === undefined) return []
    before.shift()
    node = next
  }
  return beginning(flagProposals(node.flags, before.at(-1), unfinished), unfinished)
}

const beginning = (all: readonly Proposal[], with_: string): readonly Proposal[] =>
  all.filter(([word]) => word.startsWith(with_))

const commandProposals = (commands: Commands): readonly Proposal[] =>
  Object.keys(commands).map((name) => [name, commands[name]?.about ?? ''])

function flagProposals(flags: Flags, before: string | undefined, unfinished: string): readonly Proposal[] {
  const [, dashes = '', name = ''] = /^(--?)([\w-]+)=/.exec(unfinished) ?? []
  if (name !== '')
    return choicesOf(flags, name).map((choice) => [`${dashes}${name}=${choice}`, flags[name]?.about ?? ''])
  const [, awaited = ''] = /^--?([\w-]+)$/.exec(before ?? '') ?? []
  const choices = choicesOf(flags, awaited)
  if (choices.length > 0) return choices.map((choice) => [choice, flags[awaited]?.about ?? ''])
  if (!unfinished.startsWith('-')) return []
  const style = unfinished.startsWith('--') || unfinished === '-' ? '--' : '-'
  return [...Object.entries(flags), ['help', { about: 'show the help of this command' }] as const].map(
    ([flag, { about }]) => [`${style}${flag}`, about],
  )
}

function choicesOf(flags: Flags, name: string): readonly string[] {
  const flag = ownValue(flags, name)
  return flag?.type === 'string' ? (flag.choices ?? []) : []
}
