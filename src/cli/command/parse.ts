import { nearest } from '../../kernel/nearest.ts'
import { ownValue } from '../../kernel/objects.ts'
import { UserError } from '../user-error.ts'
import { CommanderError, Option, type ParsedFlag, Parser, type Parsing } from './commander.ts'
import { type AnyCommand, type Flags, type Group, isGroup, usualExits } from './declaration.ts'
import { plainFlags } from './plain-flags.ts'
import { flagUsage, usageOf } from './usage.ts'

/** The help text of a command or group. */
export function helpOf(names: readonly string[], node: AnyCommand | Group): string {
  let text = ''
  const parser = isGroup(node) ? groupParser(names, node) : parserOf(names, node)
  parser.configureOutput({ writeOut: (more) => (text += more) }).outputHelp()
  return text
}

/** Parses a command line; an error says in one line what would be right. */
export function parse<Known extends AnyCommand>(
  names: readonly string[],
  command: Known,
  args: readonly string[],
): Parameters<Known['run']>[0] {
  const { flags, words } = command
  const usage = new UserError(`usage: ${names.join(' ')} ${usageOf(command)}`.trimEnd(), 2)
  const parser = parserOf(names, command)
  try {
    parser.parse([...plainFlags(args, flags)], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    throw error.code === 'commander.missingArgument' ? usage : mistake(error, names, flags)
  }
  const given = parser.opts()
  const values: Record<string, unknown> = {}
  for (const [name, flag] of Object.entries(flags)) {
    const value: unknown = given[name]
    if (value === undefined && flag.type === 'string' && flag.required === true) throw usage
    values[name] = value ?? (flag.type === 'boolean' ? false : flag.multiple === true ? [] : undefined)
  }
  const [stranger] = parser.args
  if (stranger !== undefined && words.length === 0)
    throw new UserError(`unexpected argument "${stranger}". See ${names.join(' ')} --help.`, 2)
  if (parser.args.length > words.length && words.at(-1)?.rest !== true) throw usage
  return { flags: values, words: parser.args } as Parameters<Known['run']>[0]
}

function parserOf(names: readonly string[], command: AnyCommand): Parsing {
  const parser = plainParser(names)
    .description(inOneParagraph(command.description) ?? `${sentence(command.about)}.`)
    .usage(usageOf(command))
    .allowExcessArguments()
    .helpOption('-h, --help', 'show this')
    .configureHelp(helpStyle)
  for (const { name, about, optional, rest } of command.words) {
    const term = rest === true ? `${name}...` : name
    parser.argument(optional === true ? `[${term}]` : `<${term}>`, about)
  }
  for (const [name, flag] of Object.entries(command.flags)) {
    // Commander recognises a flag with a value by its angle brackets, which the help text omits.
    const option = new Option(flag.type === 'boolean' ? `--${name}` : `--${name} <${flag.value}>`, flag.about)
    // The names of flags stay unchanged, also with no-….
    option.negate = false
    option.attributeName = () => name
    if (flag.type === 'string')
      option.argParser((value: string, before: unknown) => {
        if (flag.choices !== undefined && !flag.choices.includes(value))
          throw new UserError(`--${name} takes ${oneOf(flag.choices)}, not "${value}"`, 2)
        if (flag.multiple === true) return [...(Array.isArray(before) ? before : []), value]
        if (before !== undefined) throw new UserError(`--${name} is given twice`, 2)
        return value
      })
    parser.addOption(option)
  }
  const exits = { ...usualExits, ...command.exits }
  parser.addHelpText(
    'after',
    section('Examples', command.examples, ({ run, about }) => `$ ${run}\n      ${about}`),
  )
  addEnvironment(parser, command)
  parser.addHelpText('after', section('Exit codes', Object.entries(exits), row))
  return parser
}

function groupParser(names: readonly string[], node: Group): Parsing {
  const { about, commands } = node
  const parser = plainParser(names)
    .description(sentence(about))
    .usage('COMMAND')
    .helpOption(false)
    .helpCommand(false)
    .configureHelp(helpStyle)
  for (const name of Object.keys(commands)) parser.command(name).description(commands[name]?.about ?? '')
  addEnvironment(parser, node)
  return parser.addHelpText(
    'after',
    `\n${names.join(' ')} COMMAND --help shows the flags and examples of a command.`,
  )
}

function addEnvironment(parser: Parsing, node: AnyCommand | Group): void {
  const variables = Object.entries(environmentOf(node))
  if (variables.length > 0) parser.addHelpText('after', section('Environment', variables, row))
}

/** The environment variables of a command, or of all commands of a group. */
const environmentOf = (node: AnyCommand | Group): Readonly<Record<string, string>> =>
  isGroup(node)
    ? Object.assign({}, ...Object.values(node.commands).map(environmentOf))
    : (node.environment ?? {})

const plainParser = (names: readonly string[]): Parsing =>
  new Parser(names.join(' '))
    .exitOverride()
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => 110 })

const helpStyle = {
  styleTitle: (title: string) => (title === 'Options:' ? 'Flags:' : title),
  optionTerm: ({ flags }: ParsedFlag) => flags.replace(/[<>]/g, ''),
  subcommandTerm: (command: Parsing) => `${command.parent?.name()} ${command.name()}`,
}

/** The lines of the source are not those of the help text, which is wrapped to its own width. */
const inOneParagraph = (text?: string) => text?.replaceAll('\n', ' ')
const sentence = (about: string): string => about.charAt(0).toUpperCase() + about.slice(1)
const row = ([name, about]: readonly [string, string]): string => `${name.padEnd(20)}  ${about}`
const section = <Item>(title: string, items: readonly Item[], show: (item: Item) => string): string =>
  `\n${title}:\n  ${items.map(show).join('\n  ')}`
const oneOf = (choices: readonly string[]): string =>
  choices.length === 1 ? String(choices[0]) : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`

/** An error of the parser, in Plinth's words. */
function mistake(error: Error, names: readonly string[], flags: Flags): UserError {
  const wanted = /unknown option '-{1,2}([^'=]+)/.exec(error.message)?.[1]
  if (wanted === undefined) return new UserError(error.message.replace(/^error: /, ''), 2)
  const known = ownValue(flags, wanted)
  if (known?.type === 'boolean')
    return new UserError(`--${wanted} takes no value: ${flagUsage(wanted, known)}`, 2)
  return new UserError(
    `there is no flag --${wanted}${didYouMean(wanted, flags)} See ${names.join(' ')} --help.`,
    2,
  )
}

/** Known flags that resemble an unknown one: within two edits, or containing a part of its name. */
function didYouMean(wanted: string, flags: Flags): string {
  const known = [...Object.keys(flags), 'help']
  const whole = nearest(wanted, known)
  const part = nearest(wanted, new Set(known.flatMap((flag) => flag.split('-'))))
  const meant = known.filter(
    (flag) => flag === whole || (part !== undefined && flag.split('-').includes(part)),
  )
  return meant.length === 0 ? '.' : `; did you mean ${meant.map((flag) => `--${flag}`).join(', ')}?`
}
