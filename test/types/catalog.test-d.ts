import {
  type AccountView,
  type Catalog,
  type CatalogOptions,
  createCatalog,
  type SearchQuery,
} from 'plinth/catalog'
import { nodeHashing } from 'plinth/node'
import { memoryBlobs } from 'plinth/store'
import { expectAssignable, expectError, expectType } from 'tsd'

// Everything is in memory unless there is a store.
const catalog = createCatalog({ blobs: memoryBlobs(nodeHashing), store: undefined, turnAway: () => 30 })
expectType<Catalog>(createCatalog())
expectAssignable<CatalogOptions['uploads']>({ beginWithinSeconds: undefined })
expectAssignable<SearchQuery>({ q: undefined, limit: undefined })

// What is said of an account holds nothing that it logs in with.
const made = await catalog.putUser({ username: 'alice', password: 'correct horse' })
if (made.ok) {
  expectType<AccountView>(made.value)
  expectError(made.value.passwordHash)
  expectError(made.value.twoFactor)
}
const read = await catalog.readAccount('alice')
if (read.ok) expectType<AccountView>(read.value.account)
