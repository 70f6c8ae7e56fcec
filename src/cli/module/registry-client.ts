import { formatAddress, type ModuleAddress } from '../../registry/modules/names.ts'
import { parseModuleAddress } from '../../registry/source/parse-address.ts'
import { listOf, objectOf, saidBetween, saidStarting } from '../box/catalog-client.ts'
import { retrying, tellRetry } from '../retry.ts'
import { type Sent, type SentAnswer, saysStarting, send } from '../send.ts'
import { serverAddress } from '../server-address.ts'
import { UserError } from '../user-error.ts'

/** A client of a registry, to publish to. */
export interface RegistryClient {
  readonly url: string
  /** The headers that authorise a request. */
  readonly headers: Readonly<Record<string, string>>
  /** Sends a request with a path such as `v1/modules/acme/vpc/aws/1.0.0`; retries if the registry has a problem. */
  readonly call: (
    method: Sent['method'],
    path: string,
    more?: Partial<Sent> & { readonly tries?: number },
  ) => Promise<SentAnswer & { readonly attempts: number }>
}

/**
 * Connects to the registry at an address, with the token in `REGISTRY_TOKEN`, which readers of a public one do not
 * need.
 */
export function registryClient(
  to: string | undefined,
  { env = process.env, isReader = false } = {},
): RegistryClient {
  const url = serverAddress(
    { '--to': to, REGISTRY_ADDR: env['REGISTRY_ADDR'] },
    { port: 8400, api: /\/v1(?:\/modules)?$/ },
  )
  const token = env['REGISTRY_TOKEN']?.trim() ?? ''
  if (token === '' && !isReader)
    throw new UserError('REGISTRY_TOKEN is not set: this needs a token of the registry')
  if (!/^[\x21-\x7e]*$/.test(token))
    throw new UserError('REGISTRY_TOKEN contains a space or another character that tokens cannot have', 2)
  const authorization: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
  return {
    url,
    headers: authorization,
    call: async (method, path, { tries, ...more } = {}) => {
      let attempts = 0
      const answer = await retrying(
        (before) => {
          attempts = before + 1
          const headers = { ...authorization, accept: '*/*', ...more.headers }
          return send({ ...more, method, url: `${url}/${path}`, headers })
        },
        { onRetry: tellRetry(url), ...(tries === undefined ? {} : { attempts: tries }) },
      )
      return { ...answer, attempts }
    },
  }
}

/** Reads `NAMESPACE/NAME/PROVIDER`. */
export function moduleAddressOf(text: string): ModuleAddress {
  const parsed = parseModuleAddress(text)
  if (!parsed.ok) throw new UserError(parsed.refusal.message, 2)
  const { host, subdirectory, namespace, name, provider } = parsed.value
  if (host !== undefined || subdirectory !== '')
    throw new UserError(`write the module as NAMESPACE/NAME/PROVIDER, and the registry as --to URL`, 2)
  return { namespace, name, provider }
}

/** The path of a module in a registry. */
export const modulePath = (address: ModuleAddress): string => `v1/modules/${formatAddress(address)}`

/** The fields of an answer that must succeed. */
export async function readFields(
  registry: RegistryClient,
  path: string,
  what: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await registry.call('GET', path)
  const body = answer.status === 200 ? objectOf(answer.text) : undefined
  if (body === undefined) throw refusalOf(answer, `cannot ${what}`)
  return body
}

/** The versions of a module in a registry; none of a module that is not there. */
export async function versionsAt(
  registry: RegistryClient,
  address: ModuleAddress,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const answer = await registry.call('GET', `${modulePath(address)}/versions`)
  if (answer.status === 404) return []
  const [module] = listOf(objectOf(answer.text) ?? {}, 'modules')
  if (answer.status === 200 && module) return listOf(module, 'versions')
  throw refusalOf(answer, `cannot list the versions of ${formatAddress(address)}`)
}

/** The path of a version in a registry. */
export const versionPath = (address: ModuleAddress, version: string): string =>
  `${modulePath(address)}/${encodeURIComponent(version)}`

/** The registry's message for a request that it refused. */
export function refusalOf({ status, headers, text, why }: SentAnswer, what: string): UserError {
  if (status === 0) return new UserError(`${what}: ${why ?? 'no answer'}`)
  if (saysStarting(status, text)) return new UserError(`${what}: ${saidStarting('registry')}`)
  const body = objectOf(text)
  const isRedirect = status >= 300 && status < 400
  if (isRedirect && errorsIn(body) === undefined)
    return new UserError(
      `${what}: the server redirects to ${headers.location}: use the address that it names`,
    )
  if (body === undefined && status < 300)
    return new UserError(`${what}: the answer is not that of a registry; is the address right?`)
  if (body === undefined && (text !== '' || status >= 502))
    return new UserError(`${what}: ${saidBetween(status, 'registry')}`)
  // The messages of these two are about the request, not about the user's mistake, unless the token is that of a CI job.
  const isTrusted = String(headers['www-authenticate'] ?? '').includes('invalid_token')
  const said = status === 404 || (status === 401 && !isTrusted) ? undefined : errorsIn(body)
  return new UserError(`${what}: ${said ?? reasons[status] ?? 'the registry refused'} (${status})`)
}

const reasons: Readonly<Record<number, string>> = {
  401: 'REGISTRY_TOKEN is not a token of this registry',
  403: 'this token may not do that',
  404: 'nothing is there',
  413: 'the archive is too large',
}

function errorsIn(body: ReturnType<typeof objectOf>): string | undefined {
  const errors = body?.['errors']
  return Array.isArray(errors) && errors.length > 0 ? errors.map(String).join('; ') : undefined
}
