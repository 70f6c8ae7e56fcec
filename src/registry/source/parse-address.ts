import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { addressProblem, formatAddress, type ModuleAddress } from '../modules/names.ts'
import { splitSubdirectory } from './subdirectory.ts'

/**
 * The parts of a module source address.
 */
export interface ParsedAddress extends ModuleAddress {
  /** The registry's host, lower-case, with its port if any; `undefined` means the public registry. */
  readonly host: string | undefined
  /** The submodule's folder; empty for the module itself. */
  readonly subdirectory: string
  /** The registry part without host and folder: `acme/vpc/aws`. */
  readonly path: string
}

/** Hosts whose three-segment paths are repositories; clients never ask them for a registry. */
const codeHosts: ReadonlySet<string> = new Set(['github.com', 'bitbucket.org', 'gitlab.com'])

const hostGrammar =
  /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)+(?::(\d{1,5}))?$/u

/**
 * Reads a module source address: `[host/]namespace/name/provider[//folder]`.
 *
 * @returns the parts, or `invalid_module_address` with the problem and the fix; an address with another number of
 * segments is another kind of source (a path, a repository, a URL).
 *
 * @remarks
 * An address without a host means the public registry.
 *
 * @example
 * ```ts
 * import { parseModuleAddress } from 'plinth/registry'
 *
 * const parsed = parseModuleAddress('modules.example.com/acme/vpc/aws//nat')
 * parsed.ok && parsed.value.host // 'modules.example.com'
 * parsed.ok && parsed.value.subdirectory // 'nat'
 * ```
 */
export function parseModuleAddress(
  text: string,
): { readonly ok: true; readonly value: ParsedAddress } | Refused<'invalid_module_address'> {
  checkArguments('text', text)
  if (text.length > 1024) return invalid('the address is longer than 1024 characters')
  const split = splitSubdirectory(text)
  if (!split) return invalid(`the folder after // in ${JSON.stringify(text)} leads outside the module`)
  const segments = split.package.split('/')
  if (segments.length !== 3 && segments.length !== 4)
    return invalid(`${JSON.stringify(text)} is not [host/]namespace/name/provider[//folder]`)
  const givenHost = segments.length === 4 ? segments[0] : undefined
  const problem = givenHost === undefined ? undefined : hostProblem(givenHost)
  if (problem !== undefined) return invalid(problem)

  const [namespace = '', name = '', provider = ''] = segments.slice(-3)
  if (givenHost === undefined && codeHosts.has(namespace.toLowerCase()))
    return invalid(`${namespace} hosts repositories, not a module registry`)
  const refused = addressProblem({ namespace, name, provider })
  if (refused) return invalid(refused.refusal.message)
  return {
    ok: true,
    value: {
      host: givenHost?.toLowerCase(),
      namespace,
      name,
      provider,
      subdirectory: split.subdirectory,
      path: formatAddress({ namespace, name, provider }),
    },
  }
}

const invalid = (message: string) => refuse('invalid_module_address', message)

function hostProblem(host: string): string | undefined {
  if (codeHosts.has(host.toLowerCase())) return `${host} hosts repositories, not a module registry`
  if (/(?:^|\.)xn--/i.test(host)) return `write the host ${host} in its own letters, not in punycode`
  const match = hostGrammar.exec(host)
  if (!match) return `${JSON.stringify(host)} is not a host name with at least one dot`
  if (match[1] !== undefined && Number(match[1]) > 65_535) return `${host} has a port beyond 65535`
  return undefined
}
