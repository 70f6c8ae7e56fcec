/**
 * Policies: their language, and decisions by them that can be explained.
 *
 * @packageDocumentation
 */

export type { Position } from '../../hcl/index.ts'
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export { defaultPolicyText, rootPolicy } from './built-in.ts'
export type { Capability, Operation } from './capabilities.ts'
export {
  type Acl,
  type CompiledRule,
  compileAcl,
  type Grant,
  type RuleBlock,
  type RuleSource,
} from './compile.ts'
export { type AclRequest, capabilitiesOf, type Decision, type DecisionReason, decide } from './decide.ts'
export { type Explanation, explainDecision, type RuleExplanation } from './explain.ts'
export { type AccessExplanation, explainAccess } from './explain-access.ts'
export type { ParameterRules, PathRule, Policy, PolicyEvent, PolicyRecord } from './model.ts'
export type { Parameters } from './parameters.ts'
export { type PolicyRead, parsePolicy } from './parse-policy.ts'
export { normalisePolicies } from './policy-names.ts'
export { type ResultantAcl, resultantAcl } from './resultant.ts'
export { needsSudo } from './sudo-paths.ts'
export { type PolicyRefusal, policyDeletionProblem, writePolicy } from './write-policy.ts'
