import {
  type Block,
  type Body,
  blocksOf,
  type Entry,
  type HclRead,
  problemAt,
  readHcl,
  readingHcl,
  toPlain,
  type Value,
} from '../../hcl/index.ts'
import { checkArguments } from '../../kernel/check-arguments.ts'
import { parseTtlSeconds, type Refusal, type Refused, refuse } from '../../kernel/index.ts'
import { runToEnd } from '../../kernel/run-to-end.ts'
import { bitsOf, type Capability, isCapability, namesOf, oldPolicies } from './capabilities.ts'
import type { PathRule, Policy } from './model.ts'
import { addValues } from './parameters.ts'

/** The result of parsing a policy: the policy, or the position of the error. */
export type PolicyRead = { readonly ok: true; readonly value: Policy } | Refused<'invalid_policy'>

/**
 * Parses a policy: `path "secret/data/app/*" { capabilities = ["read", "list"] }`, in HCL or JSON. Create and update
 * are separate capabilities.
 *
 * @returns the policy, or `invalid_policy` with line and column of the error
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { parsePolicy } from 'plinth/acl'
 *
 * unwrap(parsePolicy('app', 'path "secret/*" { capabilities = ["read", "list"] }')).rules[0]?.path // 'secret/*'
 * const wrong = parsePolicy('app', 'path "secret/*" { capabilities = ["reed"] }')
 * wrong.ok // false
 * ```
 */
export function parsePolicy(name: string, text: string): PolicyRead {
  checkArguments('name text', name, text)
  return runToEnd(policyOf(name, readHcl(text)))
}

/** Reads a policy like {@link parsePolicy}, in steps. */
export function* parsingPolicy(name: string, text: string): Generator<undefined, PolicyRead> {
  return yield* policyOf(name, yield* readingHcl(text))
}

function* policyOf(name: string, read: HclRead): Generator<undefined, PolicyRead> {
  if (!read.ok) return invalid(read.refusal)
  try {
    return { ok: true, value: { name, rules: yield* rulesOf(read.value) } }
  } catch (error) {
    if (error instanceof Mistake) return invalid(error.refusal)
    throw error
  }
}

const invalid = ({ message, detail }: Refusal): Refused<'invalid_policy'> =>
  refuse('invalid_policy', `failed to parse policy: ${message}`, detail)

/** Aborts the parsing of one text; never leaves this file. */
class Mistake extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

const mistake = ({ at }: Pick<Value, 'at'>, text: string): Mistake => new Mistake(problemAt(at, text).refusal)

function* rulesOf(body: Body): Generator<undefined, readonly PathRule[]> {
  for (const entry of body.entries) {
    const key = entry.keys[0]?.text
    if (key !== 'path' && key !== 'name')
      throw mistake(entry, `invalid key "${key}"; a policy is made of path blocks`)
  }
  const blocks = blocksOf(body, 'path', 1)
  if (!blocks.ok) throw new Mistake(blocks.refusal)
  const rules: PathRule[] = []
  for (const block of blocks.value) {
    rules.push(ruleOf(block))
    yield
  }
  return rules
}

const readers = {
  capabilities: readCapabilities,
  policy: readOldPolicy,
  required_parameters: readNames,
  min_wrapping_ttl: readTtl,
  max_wrapping_ttl: readTtl,
  comment: () => undefined,
} as const

const isReader = (name: string): name is keyof typeof readers => Object.hasOwn(readers, name)

const noParameters = () => new Map<string, unknown[]>()

function ruleOf(block: Block): PathRule {
  const path = (block.labels[0]?.text ?? '').replace(/^\/+/, '')
  if (path.includes('+*'))
    throw mistake(block, `path "${path}": "+*" is not a pattern; use either "+" or "*"`)
  const found: { -readonly [Name in keyof typeof readers]?: ReturnType<(typeof readers)[Name]> } = {}
  // Parameters in several blocks add up: none of them may be lost.
  const parameters = { allowed_parameters: noParameters(), denied_parameters: noParameters() }
  for (const entry of block.body.entries) {
    const name = entry.keys[0]?.text ?? ''
    const isParameters = name === 'allowed_parameters' || name === 'denied_parameters'
    if (!isParameters && !isReader(name)) {
      const known = [...Object.keys(readers), ...Object.keys(parameters)].join(', ')
      throw mistake(entry, `path "${path}": invalid key "${name}"; known are ${known}`)
    }
    if (entry.keys.length > 1) throw mistake(entry, `path "${path}": "${name}" has no labels`)
    if (isParameters) readParameters(entry, path, parameters[name])
    else Object.assign(found, { [name]: readers[name](entry, path) })
  }
  const min = found.min_wrapping_ttl ?? 0
  const max = found.max_wrapping_ttl ?? 0
  if (max > 0 && max < min)
    throw mistake(block, `path "${path}": max_wrapping_ttl is smaller than min_wrapping_ttl`)
  const capabilities = [...(found.policy ?? []), ...(found.capabilities ?? [])]
  return {
    path,
    capabilities: capabilities.length === 0 ? [] : namesOf(bitsOf(capabilities)),
    allowedParameters: parameters.allowed_parameters,
    deniedParameters: parameters.denied_parameters,
    requiredParameters: (found.required_parameters ?? []).map((name) => name.toLowerCase()),
    minWrappingTtlSeconds: min,
    maxWrappingTtlSeconds: max,
    at: block.at,
  }
}

function readNames({ value, keys }: Entry, path: string): readonly string[] {
  const items = value.kind === 'list' ? value.items : [value]
  return items.map((item) => {
    if (item.kind === 'string') return item.value
    throw mistake(item, `path "${path}": "${keys[0]?.text}" is a list of strings`)
  })
}

function readCapabilities(entry: Entry, path: string): readonly Capability[] {
  return readNames(entry, path).map((name) => {
    const capability = name.trim().toLowerCase()
    if (isCapability(capability)) return capability
    throw mistake(entry, `path "${path}": invalid capability "${name}"`)
  })
}

function readOldPolicy({ value }: Entry, path: string): readonly Capability[] {
  const name = value.kind === 'string' ? value.value : ''
  const capabilities = Object.hasOwn(oldPolicies, name) ? oldPolicies[name] : undefined
  if (capabilities) return capabilities
  throw mistake(value, `path "${path}": invalid policy "${name}"; known are deny, read, write, sudo`)
}

function readParameters({ value, keys }: Entry, path: string, into: Map<string, unknown[]>): void {
  if (value.kind !== 'object') {
    throw mistake(value, `path "${path}": "${keys[0]?.text}" is a map of parameters to lists of values`)
  }
  for (const entry of value.entries) {
    const values = toPlain(entry.value)
    addValues(into, (entry.keys[0]?.text ?? '').toLowerCase(), Array.isArray(values) ? values : [values])
  }
}

function readTtl({ value, keys }: Entry, path: string): number {
  const seconds =
    value.kind === 'string' || value.kind === 'number' ? parseTtlSeconds(value.value) : undefined
  if (seconds !== undefined && seconds >= 0) return seconds
  throw mistake(value, `path "${path}": "${keys[0]?.text}" is a duration such as 60, "90s" or "1h"`)
}
