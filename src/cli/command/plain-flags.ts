import { ownValue } from '../../kernel/objects.ts'
import { UserError } from '../user-error.ts'
import type { Flags } from './declaration.ts'

/**
 * Normalises the arguments of a command: `-mount=secret` becomes `--mount=secret`.
 *
 * @remarks
 * Also refuses a flag without its value: `--load --json` does not mean a file called `--json`.
 */
export function plainFlags(args: readonly string[], flags: Flags): readonly string[] {
  const plain: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? ''
    if (argument === '--') return [...plain, ...args.slice(at)]
    const [, name, value] = /^--?([a-z][\w-]*)(?:=([\s\S]*))?$/i.exec(argument) ?? []
    if (name === undefined || (name.length === 1 && !Object.hasOwn(flags, name))) {
      plain.push(argument)
      continue
    }
    plain.push(value === undefined ? `--${name}` : `--${name}=${value}`)
    const flag = ownValue(flags, name)
    if (flag?.type !== 'string' || value !== undefined) continue
    at += 1
    const next = args[at]
    if (next === undefined) throw new UserError(`--${name} needs a value: --${name} ${flag.value}`, 2)
    if (/^-./.test(next))
      throw new UserError(
        `--${name} needs a value: --${name} ${flag.value}, or with = if it begins with a dash`,
        2,
      )
    plain.push(next)
  }
  return plain
}
