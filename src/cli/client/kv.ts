import { UserError } from '../user-error.ts'
import { type Arguments, onePath, readArguments } from './arguments.ts'
import { type Connection, connect, connectionOptions, succeeded } from './connection.ts'
import { print, printKeys, printRows, show } from './print.ts'
import { bodyOf } from './stdin.ts'
import { misused } from './usages.ts'

/** A secret's place: its mount, and where that keeps what. */
interface Place {
  /** What is asked, for mistakes. */
  readonly path: string
  readonly versioned: boolean
  /** The path of the values, and of the names. */
  readonly data: string
  readonly metadata: string
}

type Verb = (args: readonly string[]) => Promise<void>

/** `plinth kv get PATH [-version=N] [-field=NAME]` */
const get: Verb = async (args) => {
  const parsed = withoutPairs(args, ['version', 'field'])
  const { connection, place } = await open(parsed, 'version')
  const { version, field } = parsed.options
  const query = version === undefined ? {} : { version }
  const answer = await connection.call('GET', place.data, { query })
  if (answer.status === 404 && place.versioned) refuseGone(membersOf(answer.body?.['data']), place.path)
  const body = succeeded(answer, `reading ${place.path}`)
  const data = membersOf(body['data'])
  const values = place.versioned ? membersOf(data['data']) : data
  if (field !== undefined) return printField(values, field, place.path)
  if (parsed.options['format'] === 'json' || !place.versioned) return print(parsed.options, body)
  printRows(Object.entries(values))
}

/** A version without its data is still told of: that it was there, and what became of it. */
function refuseGone(data: Readonly<Record<string, unknown>>, path: string): void {
  const { version, deletion_time: since, destroyed } = membersOf(data['metadata'])
  if (destroyed === true) throw new UserError(`version ${version} of ${path} was destroyed`)
  if (since) throw new UserError(`version ${version} of ${path} was deleted at ${since}`)
}

/** One value alone, for scripts: `PGPASSWORD=$(plinth kv get -field=password secret/db)`. */
function printField(values: Readonly<Record<string, unknown>>, field: string, path: string): void {
  if (!Object.hasOwn(values, field)) {
    const names = Object.keys(values).join(', ')
    throw new UserError(`${path} has no field ${field}${names && `; it has ${names}`}`)
  }
  process.stdout.write(`${show(values[field])}\n`)
}

/** `plinth kv put PATH name=value…`, `plinth kv put PATH -`, with `-cas=N` only over that version */
const put: Verb = async (args) => {
  const parsed = readArguments(
    args.filter((argument) => argument !== '-'),
    [...connectionOptions, 'cas'],
  )
  const { cas } = parsed.options
  if (cas !== undefined && !/^\d+$/.test(cas))
    throw new UserError(`-cas takes the number of a version, not "${cas}"`, 2)
  const data = await bodyOf(args, parsed)
  if (Object.keys(data).length === 0) throw misused('kv')
  const { connection, place } = await open(parsed, 'cas')
  const options = cas === undefined ? {} : { options: { cas: Number(cas) } }
  const body = place.versioned ? { data, ...options } : data
  print(
    parsed.options,
    succeeded(await connection.call('PUT', place.data, { body }), `writing ${place.path}`),
  )
}

/** `plinth kv list PATH` */
const list: Verb = async (args) => {
  const parsed = withoutPairs(args)
  const { connection, place } = await open(parsed)
  const answer = await connection.call('GET', place.metadata, { query: { list: 'true' } })
  printKeys(parsed.options, succeeded(answer, `listing ${place.path}`))
}

/** `plinth kv delete PATH`: the newest version, which can be undeleted, or the whole of what has no versions. */
const remove: Verb = async (args) => {
  const parsed = withoutPairs(args)
  const { connection, place } = await open(parsed)
  print(parsed.options, succeeded(await connection.call('DELETE', place.data), `deleting ${place.path}`))
}

const verbs: ReadonlyMap<string, Verb> = new Map([
  ['get', get],
  ['put', put],
  ['list', list],
  ['delete', remove],
])

/** `plinth kv`: secrets by the path one thinks of, whichever version their mount has. */
export async function kvCommand([name = '', ...args]: readonly string[]): Promise<void> {
  const verb = verbs.get(name)
  if (verb === undefined) throw misused('kv')
  await verb(args)
}

/** The arguments of a verb that writes nothing. */
function withoutPairs(args: readonly string[], more: readonly string[] = []): Arguments {
  const parsed = readArguments(args, [...connectionOptions, ...more])
  if (Object.keys(parsed.pairs).length > 0) throw misused('kv')
  return parsed
}

/** `ofVersions`: the option that only a mount with versions can follow. It is a wish to be safe, or exact: never ignored. */
async function open(
  parsed: Arguments,
  ofVersions?: string,
): Promise<{ readonly connection: Connection; readonly place: Place }> {
  const path = onePath(parsed, 'kv')
  const connection = connect(parsed.options)
  const place = await placeOf(connection, path)
  if (ofVersions !== undefined && ofVersions in parsed.options && !place.versioned)
    throw new UserError(`${path} is in a mount without versions: there is no -${ofVersions} for it`, 2)
  return { connection, place }
}

/** Asks the service where a path belongs: a mount's own path may have slashes, and its version says where secrets are. */
async function placeOf(connection: Connection, path: string): Promise<Place> {
  const answer = await connection.call('GET', `sys/internal/ui/mounts/${path}`)
  if (answer.status === 403)
    throw new UserError(
      `there is no mount for ${path}, or this token may use nothing of it; is SECRETS_TOKEN set? (403)`,
    )
  const found = membersOf(succeeded(answer, `looking up the mount of ${path}`)['data'])
  const mount = String(found['path'] ?? '')
  const rest = `${path}/`.slice(mount.length).replace(/\/$/, '')
  const versioned = membersOf(found['options'])['version'] === '2'
  return versioned
    ? { path, versioned, data: `${mount}data/${rest}`, metadata: `${mount}metadata/${rest}` }
    : { path, versioned, data: path, metadata: path }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}
