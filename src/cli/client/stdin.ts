import { text } from 'node:stream/consumers'
import { UserError } from '../user-error.ts'
import type { Arguments } from './arguments.ts'

/** What is written: the pairs of the command line, or the JSON object on standard input where there is a `-`. */
export async function bodyOf(args: readonly string[], { pairs }: Arguments): Promise<object> {
  if (!args.includes('-')) return pairs
  if (Object.keys(pairs).length > 0)
    throw new UserError('give name=value pairs, or - and a JSON object on standard input, not both', 2)
  return jsonObject(await text(process.stdin))
}

function jsonObject(input: string): object {
  try {
    const value: unknown = JSON.parse(input)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The text may hold secrets: the parser's own message, which can quote it, is not shown.
  }
  throw new UserError('standard input must hold one JSON object')
}
