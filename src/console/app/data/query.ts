import { useLocation } from 'preact-iso/router'

type Query = Readonly<Record<string, string | undefined>>

/** The query of the view's URL, and how to change parts of it; an empty part is removed. */
export function useQuery(): {
  readonly path: string
  readonly query: Query
  readonly change: (parts: Query) => void
} {
  const { query, route, path, url } = useLocation()
  return {
    path,
    query,
    change: (parts) => {
      const named = new URLSearchParams()
      for (const [name, text] of Object.entries({ ...query, ...parts })) if (text) named.set(name, text)
      // `path` has lost its last slash, which a folder's path keeps.
      const at = new URL(url, location.origin).pathname || path
      route(named.size === 0 ? at : `${at}?${named}`)
    },
  }
}
