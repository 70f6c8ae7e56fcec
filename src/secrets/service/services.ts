import type { OpenApiDocument } from '../../http/index.ts'
import type { ApproleService } from './approle/service.ts'
import type { AuditTrail } from './audit/trail.ts'
import type { Barrier } from './core/barrier.ts'
import type { Core } from './core/core.ts'
import type { Sweeper } from './core/sweeper.ts'
import type { EdgeSettings } from './edge/settings.ts'
import type { IdentityService } from './identity/service.ts'
import type { IdpService } from './idp/service.ts'
import type { Plain } from './kv/plain.ts'
import type { Versioned } from './kv/versioned.ts'
import type { Lockouts } from './logins/lockouts.ts'
import type { Renewals } from './logins/renewals.ts'
import type { MountsService } from './mounts/service.ts'
import type { NamespacesService } from './namespaces/service.ts'
import type { PoliciesService } from './policies/service.ts'
import type { KeysService } from './seal/keys.ts'
import type { RootGenerationService } from './seal/root-generation.ts'
import type { LeasesService } from './tokens/leases.ts'
import type { TokensService } from './tokens/tokens.ts'
import type { TransitService } from './transit/service.ts'
import type { UserpassService } from './userpass/service.ts'
import type { Cubbyhole } from './wrapping/cubbyhole.ts'
import type { Wrapping } from './wrapping/service.ts'
/** The context of all routes of a secrets service. */
export interface Services {
  readonly core: Core
  readonly versioned: Versioned
  readonly plain: Plain
  readonly mounts: MountsService
  readonly keys: KeysService
  readonly rootGeneration: RootGenerationService
  readonly tokens: TokensService
  readonly leases: LeasesService
  readonly policies: PoliciesService
  readonly audit: AuditTrail
  readonly edge: EdgeSettings
  readonly sweeper: Sweeper
  readonly idp: IdpService
  readonly userpass: UserpassService
  readonly approle: ApproleService
  readonly transit: TransitService
  readonly lockouts: Lockouts
  readonly identity: IdentityService
  readonly renewalOf: Renewals
  readonly namespaces: NamespacesService
  readonly cubbyhole: Cubbyhole
  readonly wrapping: Wrapping
  /** The OpenAPI document of the service. */
  readonly openapi: () => OpenApiDocument
  /** Provides a key share; resumes interrupted work once the service is unsealed. */
  readonly unseal: Barrier['unseal']
  readonly seal: () => Promise<void>
}
