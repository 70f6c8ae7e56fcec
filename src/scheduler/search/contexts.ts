/** The kinds of things that a search looks at. */
export const searchContexts = [
  'jobs',
  'evals',
  'allocs',
  'nodes',
  'deployment',
  'node_pools',
  'namespaces',
] as const

/**
 * A kind of things that a search looks at.
 *
 * @public
 */
export type SearchContext = (typeof searchContexts)[number]

/** Where names inside jobs are found, when jobs are searched by a part of their name. */
export const jobContexts = ['jobs', 'groups', 'services', 'tasks', 'images', 'commands', 'classes'] as const

/**
 * A kind of things that a search by a part of their name finds: what is searched, and what jobs are made of.
 *
 * @public
 */
export type FoundContext = SearchContext | (typeof jobContexts)[number]

/** Whether a word names a context. */
export const isSearchContext = (word: string): word is SearchContext =>
  (searchContexts as readonly string[]).includes(word)

/** How many identifiers of one context a search by their beginning gives. */
export const prefixLimit = 20

/** How many names of one context a search by a part of them gives. */
export const fuzzyLimit = 100

/** How many characters such a part has at least. */
export const shortestText = 2
