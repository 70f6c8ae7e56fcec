import { parseArgs } from 'node:util'
import { nearest } from '../kernel/nearest.ts'
import { UserError } from './user-error.ts'

/** One flag of a command: how it is given and what it does. */
export interface Flag {
  readonly type: 'string' | 'boolean'
  readonly multiple?: true
  readonly short?: string
  /** What stands for the value in the help text. */
  readonly value?: string
  readonly about: string
}

export type Flags = Readonly<Record<string, Flag>>

/** What a command line holds: the values of its flags, and the words that are none. */
type FlagsRead<Known extends Flags> = Pick<
  ReturnType<typeof parseArgs<{ args: string[]; options: Known; allowPositionals: true; tokens: true }>>,
  'values' | 'positionals'
>

/**
 * Reads the arguments of a command; a mistake names the flag and what would be right.
 *
 * @param command - what the mistake points to for help, such as `plinth serve`
 * @param words - whether words that are no flags are arguments, or a mistake
 */
export function readFlags<const Known extends Flags>(
  command: string,
  flags: Known,
  args: readonly string[],
  { words = false }: { readonly words?: boolean } = {},
): FlagsRead<Known> {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: flags,
      allowPositionals: true,
      tokens: true,
    })
    const [stranger] = positionals
    if (stranger !== undefined && !words)
      throw new UserError(`"${stranger}" is not a flag. See ${command} --help.`, 2)
    const given = new Set<string>()
    for (const token of tokens) {
      if (token.kind !== 'option') continue
      const flag = flags[token.name]
      if (given.has(token.name) && flag?.type === 'string' && flag.multiple !== true)
        throw new UserError(`${token.rawName} is given twice`, 2)
      given.add(token.name)
    }
    return { values, positionals }
  } catch (error) {
    if (error instanceof UserError) throw error
    const sentence = firstSentence(error)
    const [, withoutValue, complaint] =
      /^Option '(?:-\w, )?--([\w-]+)[^']*' argument (missing|is ambiguous)/.exec(sentence) ?? []
    if (withoutValue !== undefined) {
      const usage = `--${withoutValue} ${flags[withoutValue]?.value ?? 'VALUE'}`
      const dash = complaint === 'missing' ? '' : `, or with = where it begins with a dash`
      throw new UserError(`--${withoutValue} needs a value: ${usage}${dash}`, 2)
    }
    throw new UserError(`${sentence}${didYouMean(sentence, Object.keys(flags))} See ${command} --help.`, 2)
  }
}

/** Node's message goes on about `--` separators; its first sentence says what was wrong. */
const firstSentence = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split(/\. |\n/)[0]?.replace(/\.$/, '') ?? ''

/** The flags that an unknown one may have been meant to be: a slip or two away, or from a part of their name. */
function didYouMean(sentence: string, flags: readonly string[]): string {
  const wanted = /^Unknown option '--([^'=]+)/.exec(sentence)?.[1]
  if (wanted === undefined) return '.'
  const whole = nearest(wanted, flags)
  const part = nearest(wanted, new Set(flags.flatMap((flag) => flag.split('-'))))
  const meant = flags.filter(
    (flag) => flag === whole || (part !== undefined && flag.split('-').includes(part)),
  )
  return meant.length === 0 ? '.' : `; did you mean ${meant.map((flag) => `--${flag}`).join(', ')}?`
}

/** The rows of a help text, a flag each. */
export const flagRows = (flags: Flags): string =>
  Object.entries(flags)
    .map(([name, { value, about }]) => {
      const left = `  --${name}${value === undefined ? '' : ` ${value}`}`
      return left.length > 30 ? `${left}\n${' '.repeat(32)}${about}` : `${left.padEnd(32)}${about}`
    })
    .join('\n')
