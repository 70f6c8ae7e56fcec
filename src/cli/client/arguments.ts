import { Mistake } from '../mistake.ts'
import { type ClientCommand, misused } from './usages.ts'

/** A client command line: options first or anywhere (`-format=json`), then words and `key=value` pairs. */
export interface Arguments {
  readonly options: Readonly<Record<string, string>>
  readonly words: readonly string[]
  readonly pairs: Readonly<Record<string, string>>
}

/**
 * Reads the arguments of a client command.
 *
 * @param known - the option names the command has; another one is a mistake
 */
export function readArguments(args: readonly string[], known: readonly string[]): Arguments {
  const options: Record<string, string> = Object.create(null)
  const pairs: Record<string, string> = Object.create(null)
  const words: string[] = []
  for (const argument of args) {
    const option = /^--?([a-z][\w-]*)(?:=([\s\S]*))?$/.exec(argument)
    if (option) {
      const [, name = '', value = 'true'] = option
      if (!known.includes(name))
        throw new Mistake(
          `there is no option -${name} here; there is ${known.map((each) => `-${each}`).join(', ')}`,
          2,
        )
      if (name === 'format' && value !== 'json') throw new Mistake(`-format takes json, not "${value}"`, 2)
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
