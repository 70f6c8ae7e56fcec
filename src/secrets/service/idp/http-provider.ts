import * as z from 'zod'
import { checkNumbers } from '../../../kernel/check-numbers.ts'
import { parsedJson } from '../../../kernel/decoded.ts'
import { systemTimers, type Timers } from '../../../kernel/index.ts'
import { textWithin } from '../../../oidc/fetch-json.ts'
import type {
  GroupsAnswer,
  IdpOrganisation,
  IdpProvider,
  ProviderAnswer,
  ProviderProblem,
} from '../../idp/provider.ts'

/**
 * The options of {@link httpProvider}; all have defaults.
 */
export interface HttpProviderOptions {
  /** The base domain of organisations whose configuration has none. */
  readonly defaultDomain?: string | undefined
  /** The provider's own name in its factors; such factors count as the method's own. */
  readonly ownName?: string | undefined
  /** The method's own name for such factors, in capitals. */
  readonly word?: string | undefined
  /** How long one call may take, in milliseconds. */
  readonly timeoutMs?: number | undefined
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: typeof fetch | undefined
  /** Ends calls that take too long; the system's timers by default. */
  readonly timers?: Timers | undefined
}

const Factor = z.object({ id: z.string(), factorType: z.string(), provider: z.string() })
const Authn = z.object({
  status: z.string(),
  factorResult: z.string().optional(),
  stateToken: z.string().optional(),
  _embedded: z
    .object({
      user: z.object({ id: z.string() }).optional(),
      // Factors that are not set up yet have no id.
      factors: z.array(Factor.optional().catch(undefined)).optional(),
      factor: z
        .object({
          _embedded: z
            .object({ challenge: z.object({ correctAnswer: z.number().int().optional() }).optional() })
            .optional(),
        })
        .optional(),
    })
    .optional(),
})
const Problem = z.object({ errorCode: z.string(), errorSummary: z.string().optional() })
const Groups = z.array(z.object({ profile: z.object({ name: z.string() }) }))

const largestAnswer = 1024 * 1024
const mostPages = 100

/**
 * Asks an identity provider's authentication API over HTTPS (`/api/v1/authn`, its factors, and the
 * groups of a user). Never throws: a verdict of the provider and a failure on the way to it are answers.
 *
 * @remarks
 * The address is `https://<org_name>.<base_url>`; a `base_url` that is a whole address is used as it is. Too many
 * requests, server errors, redirects, timeouts and answers that are not understood are failures.
 *
 * @example
 * ```ts
 * import { devSecrets, httpProvider } from 'plinth/secrets'
 *
 * const asked: string[] = []
 * const provider = async (url: string | URL | Request) => {
 *   asked.push(String(url))
 *   return Response.json({ status: 'LOCKED_OUT' })
 * }
 * const { service } = await devSecrets({ idpProvider: httpProvider({ defaultDomain: 'example.com', fetch: provider }) })
 * await service.idp().configure({ orgName: 'acme' })
 * const login = await service.idp().login({ username: 'ada', password: 'hunter2' })
 * asked // ['https://acme.example.com/api/v1/authn']
 * login.ok || login.refusal.code // 'idp_refused'
 * await service.close()
 * ```
 */
export function httpProvider(options: HttpProviderOptions = {}): IdpProvider {
  const { timeoutMs = 10_000, timers = systemTimers, ownName = 'OKTA', word = 'IDP' } = options
  checkNumbers({ least: 1, unit: 'milliseconds' }, { timeoutMs })
  const domain = options.defaultDomain ?? 'okta.com'

  const call = caller(options.fetch ?? fetch, timers, timeoutMs)

  const ask = async (
    org: IdpOrganisation,
    path: string,
    body: Readonly<Record<string, unknown>>,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<ProviderAnswer> => {
    const url = addressOf(org, domain, path)
    if (url === undefined) return failure('org_name and base_url do not form a URL')
    const reply = await call(url, { method: 'POST', body: JSON.stringify(body), headers }, signal)
    return 'kind' in reply ? reply : authnAnswer(reply, ownName, word)
  }

  return {
    authenticate: ({ org, username, password, address, signal }) =>
      ask(
        org,
        '/api/v1/authn',
        { username, password },
        address === undefined ? {} : { 'x-forwarded-for': address },
        signal,
      ),
    verifyFactor: ({ org, factorId, stateToken, passcode, signal }) =>
      ask(
        org,
        `/api/v1/authn/factors/${encodeURIComponent(factorId)}/verify`,
        passcode === undefined ? { stateToken } : { stateToken, passCode: passcode },
        {},
        signal,
      ),
    listGroups: async ({ org, userId, signal }): Promise<GroupsAnswer> => {
      let url = addressOf(org, domain, `/api/v1/users/${encodeURIComponent(userId)}/groups`)
      if (url === undefined) return failure('org_name and base_url do not form a URL')
      const names: string[] = []
      for (let page = 0; page < mostPages; page += 1) {
        const reply = await call(url, { headers: { authorization: `SSWS ${org.apiToken}` } }, signal)
        if ('kind' in reply) return reply
        const found = Groups.safeParse(reply.json)
        if (!found.success) return failure('the response of the provider is not valid')
        names.push(...found.data.map(({ profile }) => profile.name))
        const next = nextPage(reply.link, url)
        // The API token is sent to the provider only: a link to another origin is not followed.
        if (next === undefined || next.origin !== url.origin) return { kind: 'groups', names }
        url = next
      }
      return failure('the group list of the provider does not end')
    },
  }
}

/** Sends requests, each within the time a call may take. */
function caller(send: typeof fetch, timers: Timers, timeoutMs: number) {
  return async (url: URL, init: RequestInit, signal: AbortSignal): Promise<Reply | ProviderProblem> => {
    const limit = new AbortController()
    const cancel = timers.after(timeoutMs, () => limit.abort(), { hold: true })
    try {
      const response = await send(url, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.any([signal, limit.signal]),
        headers: { accept: 'application/json', 'content-type': 'application/json', ...init.headers },
      })
      return await replyOf(response)
    } catch {
      // The reason may quote the address or the request; that there was no answer is all a caller needs.
      return failure(
        limit.signal.aborted ? 'the provider did not answer in time' : 'the provider cannot be reached',
      )
    } finally {
      cancel()
    }
  }
}

interface Reply {
  readonly json: unknown
  readonly link: string
}

const failure = (message: string): ProviderProblem => ({ kind: 'failure', message })

function addressOf({ orgName, baseUrl }: IdpOrganisation, domain: string, path: string): URL | undefined {
  if (baseUrl.includes('://')) return URL.canParse(path, baseUrl) ? new URL(path, baseUrl) : undefined
  if (!/^[A-Za-z0-9-]{1,63}$/.test(orgName)) return undefined
  const address = `https://${orgName}.${baseUrl || domain}`
  return URL.canParse(path, address) ? new URL(path, address) : undefined
}

async function replyOf(response: Response): Promise<Reply | ProviderProblem> {
  const text = await textWithin(largestAnswer, response)
  const json = text === undefined ? undefined : parsedJson(text)
  if (response.ok) {
    return json === undefined
      ? failure('the response of the provider is not valid')
      : { json, link: response.headers.get('link') ?? '' }
  }
  if (response.status === 429) return failure('the provider limits the request rate')
  const problem = Problem.safeParse(json)
  if (response.status >= 500 || !problem.success)
    return failure(`the provider answered with status ${response.status}`)
  const { errorCode, errorSummary } = problem.data
  return { kind: 'verdict', message: (errorSummary ?? 'refused').slice(0, 200), code: errorCode.slice(0, 40) }
}

function authnAnswer({ json }: Reply, ownName: string, word: string): ProviderAnswer {
  const read = Authn.safeParse(json)
  if (!read.success) return failure('the response of the provider is not valid')
  const { status, factorResult, stateToken, _embedded: more } = read.data
  return {
    kind: 'step',
    status,
    factorResult,
    stateToken,
    userId: more?.user?.id,
    factors: more?.factors
      ?.filter((factor) => factor !== undefined)
      .map(({ id, factorType, provider }) => ({
        id,
        type: factorType,
        provider: provider.toUpperCase() === ownName ? word : provider.toUpperCase(),
      })),
    correctAnswer: more?.factor?._embedded?.challenge?.correctAnswer,
  }
}

/** The page a `Link` header calls next. */
function nextPage(link: string, base: URL): URL | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link)?.[1]
  return target !== undefined && URL.canParse(target, base.href) ? new URL(target, base) : undefined
}
