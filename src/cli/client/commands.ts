import { onePath, readArguments } from './arguments.ts'
import { connect, connectionOptions, succeeded } from './connection.ts'
import { print, printKeys } from './print.ts'
import { bodyOf } from './stdin.ts'
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
  printKeys(parsed.options, succeeded(answer, `listing ${path}`))
}

/** `plinth write PATH name=value…`, `plinth write PATH -` (a JSON object on standard input) */
export const writeCommand: Command = async (args) => {
  const parsed = readArguments(
    args.filter((argument) => argument !== '-'),
    connectionOptions,
  )
  const path = onePath(parsed, 'write')
  const body = await bodyOf(args, parsed)
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
