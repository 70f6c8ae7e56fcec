import { UserError } from '../user-error.ts'
import { type ClientCommand, misused } from './usages.ts'

/** A client command line: options anywhere (`-format=json`, `-format json`), words and `key=value` pairs. */
export interface Arguments {
  readonly options: Readonly<Record<string, string>>
  readonly words: readonly string[]
  readonly pairs: Readonly<Record<string, string>>
}

/** Options that take no value. */
const switches = ['token-only']

/**
 * Reads the arguments of a client command.
 *
 * @param known - the option names the command has; another one is a mistake
 */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const options: Record<string, string> = Object.create(null)
  const pairs: Record<string, string> = Object.create(null)
  const words: string[] = []
  const rest = [...args]
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const option = /^--?([a-z][\w-]*)(?:=([\s\S]*))?$/.exec(argument)
    if (option) {
      const [, name = ''] = option
      if (!known.includes(name))
        throw new UserError(
          `there is no option -${name} here; there is ${known.map((each) => `-${each}`).join(', ')}`,
          2,
        )
      const value = option[2] ?? (switches.includes(name) ? 'true' : rest.shift())
      if (value === undefined) throw new UserError(`-${name} needs a value, as in -${name}=VALUE`, 2)
      if (name === 'format' && value !== 'json') throw new UserError(`-format takes json, not "${value}"`, 2)
      options[name] = value
      continue
    }
    const pair = /^([^=/][^=]*)=([\s\S]*)$/.exec(argument)
    if (pair) pairs[pair[1] ?? ''] = pair[2] ?? ''
    else words.push(argument)
  }
  return { options, words, pairs }
}

/** The single path a command works on, without slashes at its ends. */
export function onePath({ words }: Arguments, command: ClientCommand): string {
  const [path, ...rest] = words
  if (path === undefined || rest.length > 0) throw misused(command)
  return path.replace(/^\/+|\/+$/g, '')
}
