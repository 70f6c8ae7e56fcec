import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { splitSubdirectory } from './subdirectory.ts'

/** The downloaders of module clients. */
export const downloaders = ['file', 'gcs', 'git', 'hg', 'http', 'https', 'oci', 's3'] as const

/**
 * A downloader that a source location requires.
 */
export type Downloader = (typeof downloaders)[number]

/**
 * A module source location, resolved.
 */
export interface ResolvedSource {
  /** The argument for a client's downloader: absolute, including folder and query. */
  readonly location: string
  /** The downloader that fetches it. */
  readonly downloader: Downloader
  /** Whether it was relative to the download endpoint. */
  readonly relative: boolean
  /** The folder of the package to use; empty for the whole package. */
  readonly subdirectory: string
}

/** Sources without a scheme that clients recognise by their form. */
const shorthands: readonly { readonly shape: RegExp; readonly downloader: Downloader }[] = [
  { shape: /^(?:github\.com|gitlab\.com|bitbucket\.org)\/[^/\s]+\/[^/\s]+/, downloader: 'git' },
  { shape: /^[\w.-]+@[\w.-]+:[^\s]+/, downloader: 'git' },
  { shape: /^[\w.-]+\.amazonaws\.com\/[^/\s]+/, downloader: 's3' },
  { shape: /^www\.googleapis\.com\/storage\/v1\/[^/\s]+\/[^/\s]+/, downloader: 'gcs' },
]

const isDownloader = (name: string): name is Downloader => downloaders.some((known) => known === name)

/**
 * Returns what a client will download for a source location, or why no client could.
 *
 * @param source - the value of the get header: downloader syntax (`git::https://…?ref=v1`, `s3::…`,
 * `github.com/acme/vpc`), a URL, or a URL that begins with `/`, `./` or `../`
 * @param downloadUrl - the full URL of the version's download endpoint, against which a relative source is resolved
 *
 * @returns the resolved location, or `invalid_source`.
 *
 * @remarks
 * A bare `module.tar.gz` is not relative and no client finds it. Downloader syntax
 * passes through as it is; its archive, checksum and folder hints are the client's to read.
 *
 * @example
 * ```ts
 * import { resolveModuleSource } from 'plinth/registry'
 *
 * const download = 'https://modules.example.com/v1/modules/acme/vpc/aws/1.2.0/download'
 * const found = resolveModuleSource('./vpc.tar.gz', download)
 * found.ok && found.value.location // 'https://modules.example.com/v1/modules/acme/vpc/aws/1.2.0/vpc.tar.gz'
 * resolveModuleSource('vpc.tar.gz', download).ok // false
 * ```
 */
export function resolveModuleSource(
  source: string,
  downloadUrl: string,
): { readonly ok: true; readonly value: ResolvedSource } | Refused<'invalid_source'> {
  checkArguments('source downloadUrl', source, downloadUrl)
  const shown = JSON.stringify(source)
  if (source === '') return invalid('the source is empty: set the location that clients should download')
  if (source.length > 4096) return invalid('the source is longer than 4096 characters')
  if (!/^[!-~]+$/.test(source))
    return invalid(`the source ${shown} has spaces, control or non-ASCII characters: percent-encode them`)
  const split = splitSubdirectory(source)
  if (!split) return invalid(`the folder after // in ${shown} leads outside the package`)

  if (source.startsWith('//')) return invalid(`the source ${shown} begins with //: write its URL in full`)
  const relative = /^\.{0,2}\//.test(source)
  if (relative && !URL.canParse(source, downloadUrl))
    return invalid(`the source ${shown} cannot be resolved against ${downloadUrl}`)
  const location = relative ? new URL(source, downloadUrl).href : source
  const downloader = downloaderOf(location)
  if (downloader.problem !== undefined) return invalid(`the source ${shown} ${downloader.problem}`)
  return {
    ok: true,
    value: { location, downloader: downloader.name, relative, subdirectory: split.subdirectory },
  }
}

/**
 * Returns why no client could download from a source location, whatever the URL of the registry.
 *
 * @returns `undefined` if some client could
 *
 * @example
 * ```ts
 * import { sourceProblem } from 'plinth/registry'
 *
 * sourceProblem('git::https://example.com/vpc.git?ref=v1.2.0') // undefined
 * sourceProblem('vpc.zip')?.refusal.code // 'invalid_source'
 * ```
 */
export function sourceProblem(source: string): Refused<'invalid_source'> | undefined {
  checkArguments('source', source)
  const resolved = resolveModuleSource(source, 'https://registry.invalid/v1/modules/n/m/p/1.0.0/download')
  return resolved.ok ? undefined : resolved
}

const invalid = (message: string) => refuse('invalid_source', message)

type Found = { readonly name: Downloader; readonly problem?: never } | { readonly problem: string }

function downloaderOf(location: string): Found {
  const forced = /^([A-Za-z0-9]+)::(.*)$/.exec(location)
  if (forced) {
    const [, name = '', rest = ''] = forced
    if (!isDownloader(name))
      return { problem: `asks for the unknown downloader "${name}"; clients have ${downloaders.join(', ')}` }
    return rest === '' ? { problem: `says ${name}:: but not what to fetch` } : { name }
  }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/.exec(location)
  if (scheme) {
    const name = (scheme[1] ?? '').toLowerCase()
    if (name === 'ssh') return { problem: `names no downloader for ssh: write git::${location}` }
    if (!isDownloader(name))
      return { problem: `has the unknown scheme "${name}"; clients have ${downloaders.join(', ')}` }
    return URL.canParse(location) && scheme[2] !== '' ? { name } : { problem: 'is not a complete URL' }
  }
  const shorthand = shorthands.find(({ shape }) => shape.test(location))
  if (shorthand) return { name: shorthand.downloader }
  return { problem: 'is neither a URL nor downloader syntax: a relative source begins with /, ./ or ../' }
}
