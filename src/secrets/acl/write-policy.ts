import { checkInput } from '../../kernel/check-input.ts'
import { answer, type Env, type Outcome, type Refused, refuse, type Step } from '../../kernel/index.ts'
import { nameProblem } from '../name-length.ts'
import type { PolicyEvent, PolicyRecord } from './model.ts'
import { parsePolicy } from './parse-policy.ts'
import { wrappingPolicyName } from './policy-names.ts'

/** Policies that are part of the service: their text is fixed. */
const fixed: readonly string[] = ['root', wrappingPolicyName]

/** Why a policy was not written or deleted. */
export type PolicyRefusal = 'invalid_policy' | 'policy_missing' | 'policy_fixed'

/**
 * Stores a policy, replacing one of the same name. Names are stored in lower case.
 *
 * @param input - `text`: HCL, JSON, or either in base64
 * @returns the record, or `policy_missing` without text, `policy_fixed` for a built-in one, `invalid_policy` with the
 * position of the error
 *
 * @example
 * ```ts
 * import { unwrap } from 'plinth'
 * import { writePolicy } from 'plinth/acl'
 *
 * const env = { now: Date.UTC(2026, 0, 1), newId: () => 'a' }
 * const written = writePolicy(undefined, { name: 'App', text: 'path "secret/*" { capabilities = ["read"] }' }, env)
 * unwrap(written).name // 'app'
 * ```
 */
export function writePolicy(
  policy: PolicyRecord | undefined,
  input: { readonly name: string; readonly text: string },
  env: Env,
): Outcome<PolicyRecord, PolicyRecord, PolicyEvent, PolicyRefusal> {
  return writePolicyRead(policy, input, env, parsePolicy)
}

/** Stores a policy like {@link writePolicy}; the text may be parsed already. */
export function writePolicyRead(
  policy: PolicyRecord | undefined,
  input: { readonly name: string; readonly text: string },
  env: Env,
  parse: typeof parsePolicy,
): Outcome<PolicyRecord, PolicyRecord, PolicyEvent, PolicyRefusal> {
  checkInput(input, { name: '', text: '' }, {}, env)
  const name = input.name.trim().toLowerCase()
  if (name === '') return refuse('policy_missing', "'name' parameter not supplied or empty")
  const long = nameProblem('policy name', name)
  if (long !== undefined) return refuse('invalid_policy', long)
  if (fixed.includes(name)) return refuse('policy_fixed', `cannot update "${name}" policy`)
  const text = policyText(input.text)
  if (text.trim() === '') return refuse('policy_missing', "'policy' parameter not supplied or empty")
  const parsed = parse(name, text)
  if (!parsed.ok) return parsed
  if (policy?.text === text) return answer(policy, policy)
  const record = { name, text, updatedAt: env.now }
  const written: Step<PolicyRecord, PolicyRecord, PolicyEvent> = {
    ok: true,
    state: record,
    value: record,
    events: [{ type: 'policy.written', name }],
  }
  return written
}

/** The text of a policy: clients may send it in base64, which is never valid policy text. */
export function policyText(text: string): string {
  if (/[^A-Za-z0-9+/=\s]/.test(text)) return text
  const packed = text.replace(/\s/g, '')
  if (packed === '' || packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(packed)) return text
  try {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return text
  }
}

/**
 * Returns why a policy may not be deleted: the built-in ones, and `default`.
 *
 * @returns `undefined` if it may
 *
 * @example
 * ```ts
 * import { policyDeletionProblem } from 'plinth/acl'
 *
 * policyDeletionProblem('dev') // undefined
 * policyDeletionProblem('default')?.refusal.code // 'policy_fixed'
 * ```
 */
export function policyDeletionProblem(name: string): Refused<'policy_fixed'> | undefined {
  const lower = name.trim().toLowerCase()
  if (lower === 'default') return refuse('policy_fixed', 'cannot delete default policy')
  return fixed.includes(lower) ? refuse('policy_fixed', `cannot delete "${lower}" policy`) : undefined
}
