import { type Refused, refuse } from '../../kernel/index.ts'
import { isObject } from '../../kernel/objects.ts'
import {
  type CoarseLevel,
  type CoarseResource,
  coarsePolicies,
  isCoarse,
  type NamespaceCapability,
  namespaceCapabilities,
  namespacePolicies,
  type PoolCapability,
  poolCapabilities,
  poolPolicies,
  type VariableCapability,
  variableCapabilities,
} from './capabilities.ts'

/**
 * One rule of a policy: the capabilities for matching names.
 */
export interface AclRule<Capability extends string> {
  /** A name, or a pattern in which `*` matches any text. */
  readonly name: string
  readonly capabilities: readonly Capability[]
}

/**
 * A parsed and validated policy.
 */
export interface AclRules {
  readonly namespaces: readonly AclRule<NamespaceCapability>[]
  readonly pools: readonly AclRule<PoolCapability>[]
  /** Their names are those of {@link variableName}. */
  readonly variables: readonly AclRule<VariableCapability>[]
  readonly coarse: { readonly [Resource in CoarseResource]?: CoarseLevel }
}

/** The name of a variable, or the pattern of some, in rules. */
export const variableName = (namespace: string, path: string): string => `${namespace}\0${path}`

/** The valid names of policies. */
export const policyName = /^[a-zA-Z0-9-]{1,128}$/

type Block = Readonly<Record<string, unknown>>

/** The rules of blocks with names, while they are read. */
interface NamedRules {
  readonly namespaces: AclRule<NamespaceCapability>[]
  readonly pools: AclRule<PoolCapability>[]
  readonly variables: AclRule<VariableCapability>[]
}

const grants = ['policy', 'capabilities'] as const

/** The known fields of each block. This service has no volumes, but existing policies name them. */
const fields = {
  namespace: [...grants, 'variables'],
  node_pool: grants,
  host_volume: grants,
  agent: ['policy'],
  node: ['policy'],
  operator: grants,
  quota: ['policy'],
  plugin: ['policy'],
} as const satisfies Record<CoarseResource | 'namespace' | 'node_pool' | 'host_volume', readonly string[]>
type Kind = keyof typeof fields

/** Whether policies have such blocks. */
export const isBlockKind = (kind: string): kind is Kind => Object.hasOwn(fields, kind)

/** A misspelt field would be ignored: a rule that should deny would have no effect. */
function unknownField(kind: Kind, block: Block, label = ''): string | undefined {
  const known: readonly string[] = fields[kind]
  const field = Object.keys(block).find((name) => !known.includes(name))
  return field === undefined
    ? undefined
    : `Invalid ${kind} policy${label}: unknown field "${field}"; use ${known.join(', ')}`
}

/**
 * Parses a policy's rules from plain values, of JSON or of HCL. A repeated block is a list.
 *
 * @returns the rules, or `invalid_policy` with the problem and its position; a text without any known block is refused
 * unless it is empty
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { readPolicy } from 'plinth/scheduler'
 *
 * const policy = readPolicy({ namespace: { default: { policy: 'read' } }, node: { policy: 'read' } })
 * unwrap(policy).coarse.node // 'read'
 * ```
 */
export function readPolicy(
  document: unknown,
): { readonly ok: true; readonly value: AclRules } | Refused<'invalid_policy'> {
  if (!isObject(document)) return invalid('a policy is a set of blocks')
  const rules: NamedRules = { namespaces: [], pools: [], variables: [] }
  const coarse: { [Resource in CoarseResource]?: CoarseLevel } = {}
  for (const [kind, content] of Object.entries(document)) {
    if (!isBlockKind(kind))
      return invalid(`Invalid policy: unknown block "${kind}"; use one of ${Object.keys(fields).join(', ')}`)
    if (isCoarse(kind)) {
      for (const block of listOf(content)) {
        const read = readCoarse(kind, block)
        if (!read.ok) return read
        coarse[kind] = stronger(coarse[kind], read.value)
      }
    } else {
      for (const [name, block] of named(content)) {
        const problem = readNamed(kind, name, block, rules)
        if (problem !== undefined) return invalid(problem)
      }
    }
  }
  return { ok: true, value: { ...rules, coarse } }
}

function readCoarse(
  kind: CoarseResource,
  block: unknown,
): { readonly ok: true; readonly value: CoarseLevel } | Refused<'invalid_policy'> {
  const levels: readonly string[] = coarsePolicies[kind]
  const level = isObject(block) ? block['policy'] : block
  if (!isObject(block) || typeof level !== 'string' || !levels.includes(level))
    return invalid(`Invalid ${kind} policy: ${JSON.stringify(level)}; use one of ${levels.join(', ')}`)
  const unknown = unknownField(kind, block)
  return unknown === undefined
    ? { ok: true, value: level as CoarseLevel } // one of the levels just looked up
    : invalid(unknown)
}

function readNamed(
  kind: 'namespace' | 'node_pool' | 'host_volume',
  name: string,
  block: unknown,
  { namespaces, pools, variables }: NamedRules,
): string | undefined {
  const shape = kind === 'node_pool' ? /^[a-zA-Z0-9-_*]{1,128}$/ : /^[a-zA-Z0-9-*]{1,128}$/
  if (!shape.test(name)) return `Invalid ${kind} name: "${name}"`
  if (!isObject(block)) return `Invalid ${kind} policy for "${name}": a block is expected`
  const unknown = unknownField(kind, block, ` for "${name}"`)
  if (unknown !== undefined || kind === 'host_volume') return unknown
  const words: Readonly<Record<string, readonly string[]>> =
    kind === 'namespace' ? namespacePolicies : poolPolicies
  const known: readonly string[] = kind === 'namespace' ? namespaceCapabilities : poolCapabilities
  const { policy = '', capabilities = [] } = block
  if (typeof policy !== 'string' || (policy !== '' && !Object.hasOwn(words, policy)))
    return `Invalid ${kind} policy for "${name}": ${JSON.stringify(policy)}; use one of ${Object.keys(words).join(', ')}`
  if (!Array.isArray(capabilities)) return `Invalid ${kind} capabilities for "${name}": a list is expected`
  const wrong = capabilities.find((capability) => !known.includes(String(capability)))
  if (wrong !== undefined)
    return kind === 'namespace'
      ? `Invalid namespace capability '${String(wrong)}' for '${name}'`
      : `Invalid node pool capability '${String(wrong)}' for '${name}'`
  const all = [...new Set([...(policy === '' ? [] : (words[policy] ?? [])), ...capabilities.map(String)])]
  // Every word of the tables and of the list just checked is a capability of its kind.
  if (kind === 'namespace') namespaces.push({ name, capabilities: all as NamespaceCapability[] })
  else pools.push({ name, capabilities: all as PoolCapability[] })
  return 'variables' in block ? readVariables(name, block['variables'], variables) : undefined
}

/** Reads `variables { path "app/*" { capabilities = ["read"] } }` of a namespace. */
function readVariables(
  namespace: string,
  blocks: unknown,
  variables: AclRule<VariableCapability>[],
): string | undefined {
  const paths = listOf(blocks).flatMap((block) => (isObject(block) ? named(block['path'] ?? {}) : []))
  if (paths.length === 0) return `Invalid variable policy: no variable paths in namespace ${namespace}`
  for (const [path, block] of paths) {
    const where = `variable path "${path}" in namespace ${namespace}`
    if (path === '') return `Invalid missing variable path in namespace ${namespace}`
    if (path.startsWith('/')) return `Invalid ${where}: cannot start with a leading '/'`
    const { capabilities = [], ...others } = isObject(block) ? block : { capabilities: '' }
    const [unknown] = Object.keys(others)
    if (unknown !== undefined) return `Invalid ${where}: unknown field "${unknown}"; use capabilities`
    if (!Array.isArray(capabilities)) return `Invalid ${where}: capabilities must be a list`
    const known: readonly unknown[] = variableCapabilities
    const wrong = capabilities.find((capability) => !known.includes(capability))
    if (wrong !== undefined)
      return `Invalid variable capability '${String(wrong)}' in namespace ${namespace}; use ${known.join(', ')}`
    const granted = capabilities as VariableCapability[] // all were just looked up
    const all = granted.includes('read') ? [...new Set([...granted, 'list' as const])] : granted
    variables.push({ name: variableName(namespace, path), capabilities: all })
  }
  return undefined
}

const strength: readonly CoarseLevel[] = ['list', 'read', 'write', 'deny']

/** The stronger of two levels for the same thing; `deny` is the strongest. */
export const stronger = (left: CoarseLevel | undefined, right: CoarseLevel): CoarseLevel =>
  left !== undefined && strength.indexOf(left) > strength.indexOf(right) ? left : right

const invalid = (message: string) => refuse('invalid_policy', message)

const listOf = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : [content])

const named = (content: unknown): readonly (readonly [name: string, block: unknown])[] =>
  listOf(content).flatMap((blocks) =>
    isObject(blocks)
      ? Object.entries(blocks).flatMap(([name, block]) => listOf(block).map((one) => [name, one] as const))
      : [['', blocks] as const],
  )
