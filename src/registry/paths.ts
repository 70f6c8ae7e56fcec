import type { Exchange } from '../http/index.ts'
import type { Refused } from '../kernel/index.ts'
import type { ModuleAddress } from './modules/names.ts'

/** The module endpoints begin with these; both end in a slash in the discovery document. */
export const bases = { v1: '/v1/modules', v2: '/v2/modules' } as const

/** A moved module's own endpoints are found by swapping the address in the path; the query stays. */
export function forward<Code extends string>(
  refused: Refused<Code>,
  { path, search }: Pick<Exchange, 'path' | 'search'>,
): Refused<Code> {
  const to = refused.refusal.code === 'module_moved' ? refused.refusal.detail?.['to'] : undefined
  if (!isAddress(to)) return refused
  const segments = tidyPath(path).split('/')
  // ['', 'v1', 'modules', namespace, name, provider?, …]
  const address = [to.namespace, to.name, ...(segments.length > 5 ? [to.provider] : [])]
  const location = [...segments.slice(0, 3), ...address, ...segments.slice(6)].join('/') + search
  return { ok: false, refusal: { ...refused.refusal, detail: { to, headers: { location } } } }
}

/** Clients join a base that ends in a slash with a path that begins with one; a trailing slash is ignored too. */
export const tidyPath = (path: string): string => path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')

const isAddress = (value: unknown): value is ModuleAddress =>
  typeof value === 'object' &&
  value !== null &&
  'namespace' in value &&
  'name' in value &&
  'provider' in value
