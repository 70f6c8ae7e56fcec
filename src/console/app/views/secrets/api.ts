import { systemEnv } from '../../../../kernel/system-env.ts'
import { type Answer, type CallOptions, call, Problem } from '../../data/call.ts'

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

/** Whether the service is sealed, and how many of its key shares unseal it. */
export interface SealStatus {
  readonly initialized: boolean
  readonly sealed: boolean
  readonly t: number
  readonly n: number
  readonly progress: number
}

/** A token as its lookup shows it. */
export interface TokenDetail {
  readonly accessor: string
  readonly display_name: string
  readonly policies: readonly string[]
  /** Seconds until it expires; 0 for one that does not. */
  readonly ttl: number
  readonly renewable: boolean
  readonly type: string
  readonly path: string
}

/** Tokens that are looked up for a list. */
const mostTokens = 200
const lookupsAtOnce = 4

/** The tokens of the service, soonest to expire first, for users who may list them. */
export async function tokensFound(
  signal: AbortSignal,
): Promise<{ readonly tokens: readonly TokenDetail[]; readonly isWhole: boolean }> {
  const { keys } = await secretsCall<{ readonly keys: readonly string[] }>('auth/token/accessors', {
    query: { list: 'true' },
    signal,
  })
  const tokens: TokenDetail[] = []
  const listed = keys.slice(0, mostTokens)
  for (let at = 0; at < listed.length; at += lookupsAtOnce) {
    const found = await Promise.all(
      listed.slice(at, at + lookupsAtOnce).map((accessor) =>
        secretsCall<TokenDetail>('auth/token/lookup-accessor', {
          method: 'POST',
          body: { accessor },
          signal,
        }).catch(undefinedIfGone),
      ),
    )
    tokens.push(...found.filter((each) => each !== undefined))
  }
  const lifetime = ({ ttl }: TokenDetail) => (ttl === 0 ? Number.POSITIVE_INFINITY : ttl)
  return {
    tokens: tokens.sort((a, b) => lifetime(a) - lifetime(b) || a.display_name.localeCompare(b.display_name)),
    isWhole: listed.length === keys.length,
  }
}

/** A token that ended after it was listed is left out. */
function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof Problem) || ![403, 404].includes(error.status)) throw error
}

export const expiresSoon = ({ ttl }: TokenDetail): boolean => ttl > 0 && ttl < 86_400
