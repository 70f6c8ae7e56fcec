import { basePath } from './base-path.ts'
import type { ServiceName } from './services.ts'
import { tokenHeaders } from './tokens.ts'

/** An error of a service; status 0 if it could not be reached. */
export class Problem extends Error {
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(status: number, message: string, retryAfterMs?: number) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export interface CallOptions {
  readonly method?: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Answer<Body> {
  readonly body: Body
  readonly headers: Headers
}

/** The address of a service's path, for links and uploads. */
export const addressOf = (service: ServiceName, path: string, query: CallOptions['query'] = {}): string => {
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') asked.set(name, String(value))
  const search = asked.size > 0 ? `?${asked}` : ''
  return `${basePath}/services/${service}${path}${search}`
}

/** Calls a service; throws a {@link Problem} for any status but a success. */
export async function call<Body = unknown>(
  service: ServiceName,
  path: string,
  { method = 'GET', query, body, headers = {}, signal }: CallOptions = {},
): Promise<Answer<Body>> {
  const response = await fetch(addressOf(service, path, query), {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...tokenHeaders(service),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
    cache: 'no-store',
    credentials: 'omit',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new Problem(0, 'the console cannot reach its server')
  })
  if (!response.ok) throw await problemOf(response)
  const text = await response.text()
  return { body: text === '' ? (undefined as Body) : (JSON.parse(text) as Body), headers: response.headers }
}

/** The refusal that a service answered. */
export const problemOf = async (response: Response): Promise<Problem> =>
  new Problem(response.status, textOf(await response.text(), response), retryAfter(response))

/** Extracts the message of a refusal from any service's error dialect. */
function textOf(text: string, { status, statusText }: Response): string {
  try {
    const said: unknown = JSON.parse(text)
    if (typeof said === 'object' && said !== null) {
      if ('errors' in said && Array.isArray(said.errors))
        return said.errors
          .map((each) =>
            typeof each === 'string' ? each : String(each?.detail ?? each?.title ?? JSON.stringify(each)),
          )
          .join('; ')
      if ('message' in said) return String(said.message)
    }
  } catch {
    // Plain text.
  }
  return text.trim().slice(0, 500) || statusText || `status ${status}`
}

function retryAfter(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? seconds * 1000 : undefined
}
