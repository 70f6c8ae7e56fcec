import { parameterText } from '../../../http/help.ts'
import { helpText, openapi, type Reply, type Route, reply, type Words } from '../../../http/index.ts'
import { templated } from '../../../http/openapi.ts'
import type { SecretsContext } from '../core/context.ts'
import { documented } from './documented.ts'

/** A path that help is asked about, and what is there. */
interface HelpQuestion {
  /** The path of the mount, and its description. */
  readonly title: string
  readonly about: string
  /** The routes of the mount's type, relative to the mount. */
  readonly routes: readonly Route<SecretsContext>[]
  /** The queried path within the mount. */
  readonly rest: string
  readonly words: Words
}

/**
 * The help of a path and of the paths below it: a text, and an OpenAPI document whose paths are relative to the
 * queried one; `undefined` if there is nothing.
 */
export function helpFor({ title, about, routes, rest, words }: HelpQuestion): Reply | undefined {
  const related = routes.flatMap((entry) => {
    const path = relative(entry.path, rest)
    return path === undefined ? [] : [{ ...entry, path, whole: entry.path }]
  })
  if (related.length === 0) return undefined
  const at = related.filter(({ whole }) => isAt(whole, rest))
  const below = related.filter((entry) => !at.includes(entry))
  const paths = below.length === 0 ? [] : ['## PATHS', helpText(below)]
  const sections = at.length === 0 ? ['## DESCRIPTION', about, ...paths] : [...helpAt(at, rest), ...paths]
  return reply({
    help: `${sections.join('\n\n')}\n`,
    openapi: openapi(title, about, related, documented(words)),
  })
}

/** The sections about the operations at a path. */
function helpAt(
  at: readonly (Route<SecretsContext> & { readonly whole: string })[],
  rest: string,
): readonly string[] {
  const patterns = new Set(at.map(({ whole }) => templated(whole)))
  const calls = at.map(({ whole, ...entry }) => ({ ...entry, path: whole }))
  const parameters = parameterText(calls)
  const descriptions = new Set(at.flatMap(({ description }) => description ?? []))
  return [
    `Request:        ${rest}\nMatching Route: ${[...patterns].join(', ')}`,
    helpText(calls),
    ...(parameters === '' ? [] : ['## PARAMETERS', parameters]),
    ...(descriptions.size === 0 ? [] : ['## DESCRIPTION', ...descriptions]),
  ]
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter(Boolean)

/** Whether a pattern that {@link relative} relates to a path matches the path itself. */
function isAt(pattern: string, rest: string): boolean {
  const want = segmentsOf(pattern)
  return want.length <= segmentsOf(rest).length && want.length > 0
}

/** The rest of a route's path after the queried one; `undefined` if the route is neither at it nor below. */
export function relative(pattern: string, rest: string): string | undefined {
  const want = [...segmentsOf(pattern)]
  for (const segment of segmentsOf(rest)) {
    const next = want[0]
    if (next === undefined) return undefined
    // A tail matches the whole rest.
    if (next.startsWith('*')) break
    if (!next.startsWith(':') && next !== segment) return undefined
    want.shift()
  }
  return `/${want.join('/')}`
}
