import { type Env, systemEnv } from '../kernel/index.ts'
import { systemRandom } from '../kernel/system-env.ts'

/** The result of an attempt: an answer, or a connection error. */
export interface Attempt {
  /** 0 without an answer. */
  readonly status: number
  /** What `Retry-After` says, in seconds. */
  readonly retryAfter?: number | undefined
  /** Whether the connection error is permanent, such as an invalid certificate. */
  readonly isLasting?: boolean
  /** Whether the server reads its records, as after a restart: it will answer. */
  readonly isStarting?: boolean
}

export interface RetryOptions {
  /** The maximum number of attempts; 6 by default, and more if the server is starting. */
  readonly attempts?: number
  /** Called before another attempt, with the delay in milliseconds. */
  readonly onRetry?: (attempt: Attempt, waitMs: number) => void
  readonly wait?: (ms: number) => Promise<void>
  readonly random?: () => number
}

/** So many attempts take some minutes. */
export const manyAttempts = 10
const firstWaitMs = 500
const longestWaitMs = 60_000
/** The maximum delay that an answer may request. */
const longestAskedMs = 15 * 60_000

type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * How many seconds an answer asks to wait: `Retry-After` in seconds or as a date, or else until a used-up rate limit is
 * reset.
 */
export function retryAfterOf(headers: Headers, env: () => Env = systemEnv): number | undefined {
  const after = String(headers['retry-after'] ?? '')
  if (/^\d+$/.test(after)) return Number(after)
  const isUsedUp = headers['x-ratelimit-remaining'] === '0'
  const reset = isUsedUp ? Number(headers['x-ratelimit-reset']) * 1000 : Number.NaN
  const until = after === '' ? reset : Date.parse(after)
  return Number.isFinite(until) ? Math.max(0, (until - env().now) / 1000) : undefined
}

/** Answers worth a retry: too many requests, a server error, none at all. */
const isTransient = ({ status, isLasting = false }: Attempt): boolean =>
  (status === 0 && !isLasting) ||
  status === 429 ||
  status === 502 ||
  status === 503 ||
  status === 504 ||
  status === 500

/** Tells the user that another request to the server of a URL follows. */
export const tellRetry =
  (url: string) =>
  ({ status }: Attempt, waitMs: number): void => {
    const why = status === 0 ? 'no answer' : `status ${status}`
    process.stderr.write(
      `${why} from ${new URL(url).origin}; trying again in ${(waitMs / 1000).toFixed(1)} s\n`,
    )
  }

/**
 * Retries until the answer is final. The delay doubles each time, unless the other side requests one.
 *
 * @param attempt - called with the number of earlier attempts
 */
export async function retrying<Answer extends Attempt>(
  attempt: (before: number) => Promise<Answer>,
  { attempts = 6, onRetry, wait = sleep, random = systemRandom }: RetryOptions = {},
): Promise<Answer> {
  let most = attempts
  for (let before = 0; ; before += 1) {
    const answer = await attempt(before)
    if (answer.isStarting) most = Math.max(most, manyAttempts)
    if (!isTransient(answer) || before + 1 >= most) return answer
    // Jitter, for clients that were refused together.
    const own = firstWaitMs * 2 ** before * (0.5 + random() / 2)
    const asked = Math.min(longestAskedMs, (answer.retryAfter ?? 0) * 1000)
    const waitMs = Math.max(Math.min(longestWaitMs, own), asked)
    onRetry?.(answer, waitMs)
    await wait(waitMs)
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))
