import { resultInSlices } from '../../../kernel/in-slices.ts'
import { lru } from '../../../kernel/lru.ts'
import { runToEnd } from '../../../kernel/run-to-end.ts'
import type { Snapshot } from '../../../store/index.ts'
import { compilingAcl } from '../../acl/compile.ts'
import { type Acl, type Grant, type Policy, type PolicyRecord, rootPolicy } from '../../acl/index.ts'
import { parsingPolicy } from '../../acl/parse-policy.ts'
import type { Core, Namespace } from '../core/core.ts'
import { stateOf } from '../core/core.ts'
import { policyRecords } from './records.ts'

/** The mark that every change of a policy raises. */
const anyPolicy = policyRecords.markOf()

/** The values for templates in the paths of policies. */
export interface Templates {
  /** Equal only if all values are equal. */
  readonly version: string
  readonly resolve: (name: string) => string | undefined
}

/** Policies of at most this many characters are parsed and compiled synchronously: it takes a few milliseconds. */
const shortText = 16 * 1024

/** The number of characters of cached compiled policies: 1000 sets of short policies, or fewer of long ones. */
const keptCharacters = 1000 * shortText

/** Compiled policies, or a promise of them. */
interface Compiled {
  readonly acl: Acl | Promise<Acl>
  readonly characters: number
}

/** The compiled policies of a service. */
const compiledOf = stateOf(() => ({
  acls: lru<Compiled>(keptCharacters, ({ characters }) => Math.max(characters, shortText)),
  /** The revision of the last change of any policy: another one clears the cache. */
  seen: -1,
}))

/** Policies by the record that they were parsed from. */
const parsed = new WeakMap<PolicyRecord, Policy>()

function* readPolicy(record: PolicyRecord): Generator<undefined, Policy> {
  const known = parsed.get(record)
  if (known) return known
  const read = yield* parsingPolicy(record.name, record.text)
  // It was valid when it was written; if it cannot be parsed now, it grants nothing.
  const policy = read.ok ? read.value : { name: record.name, rules: [] }
  parsed.set(record, policy)
  return policy
}

function* compiling(
  namespace: Namespace,
  names: readonly string[],
  records: readonly PolicyRecord[],
  resolve: Templates['resolve'] | undefined,
): Generator<undefined, Acl> {
  const grants: Grant[] = []
  if (names.includes('root')) grants.push({ policy: rootPolicy, namespace: namespace.path })
  for (const record of records) grants.push({ policy: yield* readPolicy(record), namespace: namespace.path })
  return yield* compilingAcl(grants, resolve)
}

/** Parses a policy before a commit, whose decision is synchronous, if that takes long. */
export const parseLong = async (name: string, text: string) =>
  text.length > shortText ? resultInSlices(parsingPolicy(name, text)) : undefined

/** Keeps a parsed policy for its record. */
export const keepParsed = (record: PolicyRecord, policy: Policy): void => {
  parsed.set(record, policy)
}

/** Compiles the policies of a token, which are those of its namespace; long ones in slices, once for all callers. */
export function aclOf(
  core: Core,
  now: Snapshot,
  namespace: Namespace,
  names: readonly string[],
  templates?: Templates | undefined,
): Acl | Promise<Acl> {
  const state = compiledOf(core)
  const { acls } = state
  const changed = now.get(anyPolicy)?.modified ?? 0
  if (changed !== state.seen) acls.clear()
  state.seen = changed
  const recordOf = (name: string) => policyRecords.get(now, namespace.id, name)?.value.policy
  const isTemplated =
    templates !== undefined && names.some((name) => recordOf(name)?.text.includes('{{') === true)
  // As JSON: a name may hold any character, and no two lists of names may share a key.
  const key = JSON.stringify([namespace.id, isTemplated ? templates.version : '', ...names])
  const compiled = acls.get(key)
  if (compiled) return compiled.acl
  const records = names.flatMap((name) => recordOf(name) ?? [])
  const work = compiling(namespace, names, records, isTemplated ? templates.resolve : undefined)
  const characters = records.reduce((length, { text }) => length + text.length, 0)
  const acl = characters <= shortText ? runToEnd(work) : resultInSlices(work)
  acls.set(key, { acl, characters })
  if (acl instanceof Promise)
    acl.then(
      (made) => {
        // A policy may have changed meanwhile: then the entry is gone, or was made from other policies.
        if (acls.get(key)?.acl === acl) acls.set(key, { acl: made, characters })
      },
      () => acls.delete(key),
    )
  return acl
}
