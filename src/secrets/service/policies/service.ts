import { atOnce } from '../../../kernel/at-once.ts'
import { boundedCache } from '../../../kernel/bounded-cache.ts'
import { resultInSlices } from '../../../kernel/in-slices.ts'
import type { Answer } from '../../../kernel/index.ts'
import type { Snapshot, Tx } from '../../../store/index.ts'
import { wrappingPolicyText } from '../../acl/built-in.ts'
import { compilingAcl } from '../../acl/compile.ts'
import {
  type Acl,
  defaultPolicyText,
  type Grant,
  type Policy,
  type PolicyRecord,
  type PolicyRefusal,
  parsePolicy,
  policyDeletionProblem,
  rootPolicy,
} from '../../acl/index.ts'
import { parsingPolicy } from '../../acl/parse-policy.ts'
import { wrappingPolicyName } from '../../acl/policy-names.ts'
import { policyText, writePolicyRead } from '../../acl/write-policy.ts'
import type { Core, Namespace } from '../core/core.ts'
import { done, tells } from '../core/decision.ts'
import { goneWith } from '../core/namespaces.ts'
import { policyRecords } from './records.ts'

/** The policies of a service. */
export type PoliciesService = ReturnType<typeof policiesService>

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

export function policiesService(core: Core) {
  const parsed = new WeakMap<PolicyRecord, Policy>()
  const acls = boundedCache<Compiled>(keptCharacters, ({ characters }) => Math.max(characters, shortText))
  let seen = -1

  /** Clears the compiled policies if any policy has changed. */
  const refresh = (now: Snapshot) => {
    const changed = now.get(anyPolicy)?.modified ?? 0
    if (changed === seen) return
    seen = changed
    acls.clear()
  }
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
    for (const record of records)
      grants.push({ policy: yield* readPolicy(record), namespace: namespace.path })
    return yield* compilingAcl(grants, resolve)
  }

  return {
    /** The names of the policies that a token can have, sorted, `root` last. */
    list: async (namespace: Namespace): Promise<readonly string[]> => {
      const names = policyRecords.list(await core.fresh(), namespace.id).map(({ value }) => value.policy.name)
      const internal: readonly string[] = ['root', wrappingPolicyName]
      return [...names.filter((name) => !internal.includes(name)), 'root']
    },
    read: async (namespace: Namespace, name: string): Promise<PolicyRecord | undefined> => {
      const now = await core.fresh()
      const lower = name.trim().toLowerCase()
      // The root policy has no text.
      if (lower === 'root') return { name: 'root', text: '', updatedAt: 0 }
      return policyRecords.get(now, namespace.id, lower)?.value.policy
    },
    write: async (namespace: Namespace, input: { readonly name: string; readonly text: string }) => {
      const name = input.name.trim().toLowerCase()
      const text = policyText(input.text)
      // Read before the commit, whose decision is synchronous.
      const read = text.length > shortText ? await resultInSlices(parsingPolicy(name, text)) : undefined
      return core.commit<PolicyRecord, PolicyRefusal>((tx, env) => {
        const gone = goneWith(tx, namespace, 'invalid_policy')
        if (gone) return gone
        const before = tx.get(policyRecords, namespace.id, name)?.value.policy
        const outcome = writePolicyRead(before, input, env, read ? () => read : parsePolicy)
        if (outcome.ok && outcome.state !== before) {
          if (read?.ok) parsed.set(outcome.state, read.value)
          tx.put(policyRecords, { namespace: namespace.id, policy: outcome.state })
        }
        return core.happened(outcome, { namespace: namespace.path })
      })
    },
    /** Deletes a policy; a missing one is not an error. */
    delete: async (namespace: Namespace, name: string): Promise<Answer<boolean, PolicyRefusal>> => {
      const lower = name.trim().toLowerCase()
      const refused = policyDeletionProblem(lower)
      if (refused) return refused
      return core.commit((tx) =>
        tx.delete(policyRecords, namespace.id, lower)
          ? tells(true, { namespace: namespace.path, type: 'policy.deleted', name: lower })
          : done(false),
      )
    },
    /** Writes the initial policies of a namespace. */
    plant: (tx: Tx, namespace: Namespace, now: number): void => {
      for (const [name, text] of [
        ['default', defaultPolicyText],
        [wrappingPolicyName, wrappingPolicyText],
      ] as const)
        tx.put(policyRecords, { namespace: namespace.id, policy: { name, text, updatedAt: now } })
    },
    /** Those of these names that are policies of the namespace. */
    known:
      (now: Snapshot, namespace: Namespace): ((name: string) => boolean) =>
      (name) =>
        name === 'root' || policyRecords.get(now, namespace.id, name) !== undefined,
    /**
     * Compiles the policies of a token, which are those of its namespace; long ones in slices, once for all callers.
     */
    aclOf: (
      now: Snapshot,
      namespace: Namespace,
      names: readonly string[],
      templates?: Templates | undefined,
    ): Acl | Promise<Acl> => {
      refresh(now)
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
      const acl = characters <= shortText ? atOnce(work) : resultInSlices(work)
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
    },
  }
}
