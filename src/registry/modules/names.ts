import { checkArguments } from '../../kernel/check-arguments.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { foldName } from '../../search/index.ts'

export { foldName }

/**
 * The address of a module in a registry: its publisher, its name, and its target system.
 */
export interface ModuleAddress {
  /** The publisher: 1–64 letters, digits, `-` and `_`, a letter or digit at both ends. */
  readonly namespace: string
  /** The name of the module; the same characters. */
  readonly name: string
  /** The target system: 1–64 lower-case letters and digits. */
  readonly provider: string
}

/** One segment of an address: the syntax that clients check before they send a request. */
const segments = {
  namespace: {
    grammar: /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/,
    rule: '1 to 64 letters, digits, dashes and underscores, with a letter or digit at both ends',
  },
  name: {
    grammar: /^[0-9A-Za-z](?:[0-9A-Za-z_-]{0,62}[0-9A-Za-z])?$/,
    rule: '1 to 64 letters, digits, dashes and underscores, with a letter or digit at both ends',
  },
  provider: { grammar: /^[0-9a-z]{1,64}$/, rule: '1 to 64 lower-case letters and digits' },
} as const satisfies Record<keyof ModuleAddress, { readonly grammar: RegExp; readonly rule: string }>

/** Namespaces that would hide an endpoint. */
const reserved: ReadonlySet<string> = new Set(['search'])

/**
 * Whether a text can be the given part of a module address.
 *
 * @example
 * ```ts
 * import { isAddressPart } from 'plinth/registry'
 *
 * isAddressPart('name', 'private_vpc') // true
 * isAddressPart('provider', 'AWS') // false
 * ```
 */
export const isAddressPart = (part: keyof ModuleAddress, text: string): boolean =>
  segments[part].grammar.test(text) && !(part === 'namespace' && reserved.has(foldName(text)))

/**
 * Returns what is wrong with the three parts of a module address, as module clients do before a request: the part, and
 * its rule.
 *
 * @returns `undefined` if it is valid
 *
 * @example
 * ```ts
 * import { addressProblem } from 'plinth/registry'
 *
 * addressProblem({ namespace: 'acme', name: 'vpc', provider: 'aws' }) // undefined
 * addressProblem({ namespace: 'acme', name: 'vpc', provider: 'AWS' })?.refusal.code // 'invalid_module_name'
 * ```
 */
export function addressProblem(address: ModuleAddress): Refused<'invalid_module_name'> | undefined {
  checkArguments('address', address)
  for (const part of ['namespace', 'name', 'provider'] as const) {
    const text = address[part]
    if (isAddressPart(part, text)) continue
    const why = segments[part].grammar.test(text)
      ? `the namespace "${text}" is reserved`
      : `the ${part} ${JSON.stringify(text)} is not valid: use ${segments[part].rule}`
    return refuse('invalid_module_name', why, { part })
  }
  return undefined
}

/**
 * Writes an address as people do: `acme/vpc/aws`. {@link parseModuleAddress} reads it.
 *
 * @example
 * ```ts
 * import { formatAddress } from 'plinth/registry'
 *
 * formatAddress({ namespace: 'acme', name: 'vpc', provider: 'aws' }) // 'acme/vpc/aws'
 * ```
 */
export const formatAddress = ({ namespace, name, provider }: ModuleAddress): string =>
  `${namespace}/${name}/${provider}`

/**
 * Whether two addresses name the same module: the case of their ASCII letters does not matter.
 *
 * @example
 * ```ts
 * import { sameAddress } from 'plinth/registry'
 *
 * const vpc = { namespace: 'acme', name: 'vpc', provider: 'aws' }
 * sameAddress(vpc, { ...vpc, namespace: 'ACME' }) // true
 * ```
 */
export const sameAddress = (a: ModuleAddress, b: ModuleAddress): boolean =>
  foldName(formatAddress(a)) === foldName(formatAddress(b))
