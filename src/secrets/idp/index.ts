/**
 * Login through an identity provider, as a state machine in which every step is data: configuration, users, groups,
 * second factors, number challenges.
 *
 * @packageDocumentation
 */
export type { Env, Instant, Outcome, Refusal, Refused, Step } from '../../kernel/index.ts'
export type { Token, TokenSettings, TokenTypeSetting } from '../tokens/index.ts'
export { entitlements, renewalProblem } from './entitlements.ts'
export { continueLogin, startLogin } from './login.ts'
export { type LoginStatus, type LoginVerb, loginDiagram, loginLifecycle } from './login-lifecycle.ts'
export { type Login, type LoginAsk, type LoginPolicy, type LoginRefusal, loginPolicy } from './login-model.ts'
export type { IdpConfig, IdpEvent, IdpGroup, IdpUser } from './model.ts'
export type {
  GroupsAnswer,
  IdpFactor,
  IdpOrganisation,
  IdpProvider,
  ProviderAnswer,
  ProviderProblem,
} from './provider.ts'
export { bypassWarnings, type IdpConfigInput, type IdpConfigRefusal, writeIdpConfig } from './write-config.ts'
export { groupName, type IdpNameRefusal, writeIdpGroup, writeIdpUser } from './write-user.ts'
