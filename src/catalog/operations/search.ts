import { operation } from '../../operation/operation.ts'
import type { Core } from '../service/core.ts'
import type { BoxDetail } from '../service/details.ts'
import type { SearchQuery } from '../service/search.ts'
import { query } from './arguments.ts'

/** The search operations of a caller. */
export const searchOperations = {
  /**
   * Returns one page of the boxes that match, have a current version, and may be seen by the caller: the ten most
   * downloaded by default.
   *
   * @example await catalog.search({ q: 'tiny', provider: 'virtualbox' })
   */
  search: operation({
    takes: [query],
    refuses: [],
    run: ({ search, caller }: Core, query: SearchQuery = {}): Promise<readonly BoxDetail[]> =>
      search.find(query, caller),
  }),
}
