/** The kinds of objects that can be searched. */
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
 * A kind of object that can be searched.
 */
export type SearchContext = (typeof searchContexts)[number]

/** Where names inside jobs are found, when jobs are searched by a part of their name. */
export const jobContexts = ['jobs', 'groups', 'services', 'tasks', 'images', 'commands', 'classes'] as const

/**
 * A kind of object that a search by a part of its name finds: the searched kinds, and the parts of jobs.
 */
export type FoundContext = SearchContext | (typeof jobContexts)[number]

/** Whether a word is a context. */
export const isSearchContext = (word: string): word is SearchContext =>
  (searchContexts as readonly string[]).includes(word)

/** The maximum number of identifiers per context in a prefix search. */
export const prefixLimit = 20

/** The maximum number of names per context in a fuzzy search. */
export const fuzzyLimit = 100

/** The minimum length of the text of a fuzzy search. */
export const shortestText = 2
