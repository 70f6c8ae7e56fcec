import { systemEnv } from '../../../../kernel/system-env.ts'
import { type Answer, type CallOptions, call } from '../../data/call.ts'

/** The envelope of the secrets service. */
interface Envelope<Data> {
  readonly data: Data
  readonly warnings?: readonly string[] | null
}

/** Calls the secrets service below `/v1` and takes the data out of its envelope. */
export async function secretsCall<Data>(path: string, options: CallOptions = {}): Promise<Data> {
  const { body }: Answer<Envelope<Data> | undefined> = await call('secrets', `/v1/${path}`, options)
  return body?.data as Data
}

/** A path with each of its segments escaped. */
export const escapedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

export interface Mount {
  readonly type: string
  readonly description: string
  readonly options: { readonly version?: string } | null
}

/** The mounts of secrets that the token may see, by path. */
export async function readMounts(): Promise<Readonly<Record<string, Mount>>> {
  const { secret } = await secretsCall<{ readonly secret: Readonly<Record<string, Mount>> }>(
    'sys/internal/ui/mounts',
  )
  return secret
}

export interface VersionMetadata {
  readonly created_time: string
  readonly deletion_time: string
  readonly destroyed: boolean
}

export interface SecretMetadata {
  readonly current_version: number
  readonly cas_required: boolean
  readonly max_versions: number
  readonly delete_version_after: string
  readonly custom_metadata: Readonly<Record<string, string>> | null
  readonly versions: Readonly<Record<string, VersionMetadata>>
}

export interface SecretVersion {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly metadata: VersionMetadata & { readonly version: number }
}

/** Whether a version still has its data; one with a later deletion time has it until then. */
export const isReadable = (version: VersionMetadata | undefined): boolean =>
  version !== undefined &&
  !version.destroyed &&
  (version.deletion_time === '' || Date.parse(version.deletion_time) > systemEnv().now)

/** Reads the data of one version. */
export async function readVersion(
  mount: string,
  path: string,
  version: number,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { data } = await secretsCall<SecretVersion>(`${mount}data/${escapedPath(path)}`, {
    query: { version },
    signal,
  })
  return data ?? {}
}

/** A token as its lookup shows it. */
export interface TokenDetail {
  readonly accessor: string
  readonly display_name: string
  readonly policies: readonly string[]
  readonly ttl: number
  readonly renewable: boolean
  readonly type: string
  readonly path: string
}
