import { approle } from './approle/concept.ts'
import { audit } from './audit/records.ts'
import type { Concept } from './core/core.ts'
import { edge } from './edge/settings.ts'
import { idTokens } from './id-tokens/concept.ts'
import { identity } from './identity/records.ts'
import { idp } from './idp/records.ts'
import { jwt } from './jwt/records.ts'
import { kv } from './kv/concept.ts'
import { mounts } from './mounts/operations.ts'
import { policies } from './policies/records.ts'
import { quotas } from './quotas/records.ts'
import { tokens } from './tokens/sweeping.ts'
import { transit } from './transit/records.ts'
import { userpass } from './userpass/records.ts'

/** Every concept of the service with a part in the work that concerns all of them, in the order of sweeps. */
export const concepts: readonly Concept[] = [
  kv,
  audit,
  policies,
  tokens,
  identity,
  idTokens,
  mounts,
  quotas,
  edge,
  userpass,
  approle,
  idp,
  jwt,
  transit,
]
