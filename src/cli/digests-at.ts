import { createHash } from 'node:crypto'
import { openUrl } from './open-url.ts'
import { type Attempt, retryAfterOf, retrying, tellRetry } from './retry.ts'
import { isLasting, whyUnreachable } from './unreachable.ts'
import { UserError } from './user-error.ts'

/** A URL, and the headers that authorise a request: a token may be renewed between two attempts. */
export interface Download {
  readonly url: string
  readonly headers: () => Promise<Readonly<Record<string, string>>>
}

/**
 * Downloads what is at a URL without keeping it. Returns its digests in hexadecimal, in the order of the algorithms;
 * `undefined` if nothing is there. An interrupted download starts over.
 *
 * @throws UserError that says why its bytes cannot be read
 */
export async function digestsAt(
  { url, headers }: Download,
  algorithms: readonly string[],
): Promise<readonly string[] | undefined> {
  let digests: readonly string[] = []
  const attempt = async (): Promise<Attempt & { readonly why?: string }> => {
    try {
      const hashes = algorithms.map((algorithm) => createHash(algorithm))
      const answer = await openUrl(url, await headers(), new AbortController().signal)
      const { statusCode: status = 0 } = answer
      if (status !== 200) {
        answer.destroy()
        return { status, retryAfter: retryAfterOf(answer.headers) }
      }
      for await (const chunk of answer) for (const hash of hashes) hash.update(chunk)
      digests = hashes.map((hash) => hash.digest('hex'))
      return { status }
    } catch (error) {
      return {
        status: 0,
        why: whyUnreachable(error),
        isLasting: error instanceof UserError || isLasting(error),
      }
    }
  }
  const { status, why } = await retrying(attempt, { onRetry: tellRetry(url) })
  if (status === 200) return digests
  if (status === 404 || status === 410) return undefined
  throw new UserError(`its bytes cannot be read: ${why ?? `status ${status}`}`)
}
