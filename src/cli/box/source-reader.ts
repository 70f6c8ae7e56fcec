import { type CatalogClient, Declined, type Fields, made } from './catalog-client.ts'

/** How to pass credentials for the other catalog. */
export const credentials = 'set HCP_CLIENT_ID and HCP_CLIENT_SECRET, or --source-token-env'

/** Reads from the other catalog. */
export type ReadSource = (parts: readonly string[], what: string, query?: string) => Promise<Fields>

/** Without credentials, a refusal says how to pass them. */
export const sourceReader =
  (from: CatalogClient, isAnonymous: boolean): ReadSource =>
  async (parts, what, query = '') => {
    const answer = await from.call('GET', parts, { query })
    try {
      return made(answer, what)
    } catch (error) {
      if (!(isAnonymous && error instanceof Declined && [401, 403, 404].includes(answer.status))) throw error
      throw new Declined(`${error.message}: if it is private, ${credentials}`)
    }
  }
