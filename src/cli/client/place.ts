import { UserError } from '../user-error.ts'
import { type Connection, connect, succeeded } from './connection.ts'
import type { SecretsFlags } from './flags.ts'
import { membersOf } from './members.ts'
import { plainPath } from './paths.ts'

/** The location of a secret: its mount, and the mount's paths. */
export interface Place {
  /** The operation, for error messages. */
  readonly path: string
  readonly mount: string
  /** The path within the mount. */
  readonly rest: string
  readonly versioned: boolean
  /** The path of the values, and that of the names. */
  readonly data: string
  readonly metadata: string
}

/** A connection, and the location of the secret that a command line names. */
export async function openSecret(
  flags: SecretsFlags & { readonly mount: string | undefined },
  word: string,
): Promise<{ readonly connection: Connection; readonly place: Place }> {
  const connection = connect(flags)
  const mount = flags.mount === undefined ? undefined : plainPath(flags.mount)
  const path = mount === undefined ? plainPath(word) : plainPath(`${mount}/${plainPath(word)}`)
  const place = await placeOf(connection, path)
  if (mount !== undefined && place.mount !== `${mount}/`)
    throw new UserError(`${mount} is not a mount; the mount of ${path} is ${place.mount}`, 2)
  return { connection, place }
}

/**
 * Asks the service for the mount of a path: a mount's own path may contain slashes, and its version determines the
 * paths.
 */
async function placeOf(connection: Connection, path: string): Promise<Place> {
  const answer = await connection.call('GET', `sys/internal/ui/mounts/${path}`)
  if (answer.status === 403)
    throw new UserError(
      `there is no mount for ${path}, or this token lacks permission for it; is SECRETS_TOKEN set, and still valid? (403)`,
    )
  const found = membersOf(succeeded(answer, `looking up the mount of ${path}`)['data'])
  const mount = String(found['path'] ?? '')
  const rest = `${path}/`.slice(mount.length).replace(/\/$/, '')
  const versioned = membersOf(found['options'])['version'] === '2'
  return versioned
    ? { path, mount, rest, versioned, data: `${mount}data/${rest}`, metadata: `${mount}metadata/${rest}` }
    : { path, mount, rest, versioned, data: path, metadata: path }
}

/** A requested version is a precondition, so a mount without versions refuses it. */
export function mustBeVersioned(place: Place, wish: string): void {
  if (!place.versioned)
    throw new UserError(`${place.path} is on a mount without versions, which does not support ${wish}`, 2)
}
