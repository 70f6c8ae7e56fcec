import { text } from 'node:stream/consumers'
import { Mistake } from '../mistake.ts'
import { onePath, readArguments } from './arguments.ts'
import { connect, connectionOptions, succeeded } from './connection.ts'
import { print } from './print.ts'
import { misused } from './usages.ts'

type Command = (args: readonly string[]) => Promise<void>

/** `plinth read PATH [name=value…]` */
export const readCommand: Command = async (args) => {
  const parsed = readArguments(args, connectionOptions)
  const path = onePath(parsed, 'read')
  const answer = await connect(parsed.options).call('GET', path, { query: parsed.pairs })
  print(parsed.options, succeeded(answer, `reading ${path}`))
}

/** `plinth list PATH` */
export const listCommand: Command = async (args) => {
  const parsed = readArguments(args, connectionOptions)
  const path = onePath(parsed, 'list')
  if (Object.keys(parsed.pairs).length > 0) throw misused('list')
  // Intermediaries know no LIST: its twin is a GET.
  const answer = await connect(parsed.options).call('GET', path, { query: { list: 'true' } })
  const body = succeeded(answer, `listing ${path}`)
  if (parsed.options['format'] === 'json') return print(parsed.options, body)
  const data = body['data']
  const keys = typeof data === 'object' && data !== null && 'keys' in data ? data.keys : []
  for (const key of Array.isArray(keys) ? keys : []) process.stdout.write(`${String(key)}\n`)
}

/** `plinth write PATH name=value…`, `plinth write PATH -` (a JSON object on standard input) */
export const writeCommand: Command = async (args) => {
  const stdin = args.includes('-')
  const parsed = readArguments(
    args.filter((argument) => argument !== '-'),
    connectionOptions,
  )
  const path = onePath(parsed, 'write')
  if (stdin && Object.keys(parsed.pairs).length > 0)
    throw new Mistake('give name=value pairs, or - and a JSON object on standard input, not both', 2)
  const body = stdin ? jsonObject(await text(process.stdin)) : parsed.pairs
  const answer = await connect(parsed.options).call('PUT', path, { body })
  print(parsed.options, succeeded(answer, `writing ${path}`))
}

/** `plinth delete PATH` */
export const deleteCommand: Command = async (args) => {
  const parsed = readArguments(args, connectionOptions)
  const path = onePath(parsed, 'delete')
  if (Object.keys(parsed.pairs).length > 0) throw misused('delete')
  const answer = await connect(parsed.options).call('DELETE', path)
  print(parsed.options, succeeded(answer, `deleting ${path}`))
}

function jsonObject(input: string): object {
  try {
    const value: unknown = JSON.parse(input)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The text may hold secrets: the parser's own message, which can quote it, is not shown.
  }
  throw new Mistake('standard input must hold one JSON object')
}
