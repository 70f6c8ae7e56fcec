import type { MethodsOf } from '../../operation/operation.ts'
import { accountOperations } from './accounts.ts'
import { administratorOperations } from './administration.ts'
import { auditOperations } from './audit.ts'
import { boxOperations } from './boxes.ts'
import { imageOperations } from './images.ts'
import { logInOperations } from './log-in.ts'
import { memberOperations } from './members.ts'
import { ownAccountOperations } from './own-account.ts'
import { providerOperations } from './providers.ts'
import { quotaOperations } from './quota.ts'
import { searchOperations } from './search.ts'
import { issuedTokenOperations, tokenOperations } from './tokens.ts'
import { upkeepOperations } from './upkeep.ts'
import { receiveOperations, uploadOperations } from './uploads.ts'
import { versionOperations } from './versions.ts'
import { webhookOperations } from './webhooks.ts'

/** All operations that depend on the caller: their types by name, because declarations lose the docstrings of a spread. */
type CallerOperations = typeof boxOperations &
  typeof versionOperations &
  typeof providerOperations &
  typeof uploadOperations &
  typeof imageOperations &
  typeof searchOperations &
  typeof administratorOperations &
  typeof issuedTokenOperations &
  typeof auditOperations &
  typeof memberOperations &
  typeof quotaOperations &
  typeof webhookOperations

export const callerOperations: CallerOperations = {
  ...boxOperations,
  ...versionOperations,
  ...providerOperations,
  ...uploadOperations,
  ...imageOperations,
  ...searchOperations,
  ...administratorOperations,
  ...issuedTokenOperations,
  ...auditOperations,
  ...memberOperations,
  ...quotaOperations,
  ...webhookOperations,
}

/** All operations that need no caller, because a password, a token or a secret authorises them. */
type CredentialOperations = typeof tokenOperations &
  typeof logInOperations &
  typeof ownAccountOperations &
  typeof receiveOperations

export const credentialOperations: CredentialOperations = {
  ...tokenOperations,
  ...logInOperations,
  ...ownAccountOperations,
  ...receiveOperations,
}

export type CatalogOperations = CallerOperations &
  CredentialOperations &
  typeof accountOperations &
  typeof upkeepOperations

export const catalogOperations: CatalogOperations = {
  ...callerOperations,
  ...credentialOperations,
  ...accountOperations,
  ...upkeepOperations,
}

/**
 * All operations that depend on the caller.
 */
export interface CatalogMethods extends MethodsOf<CallerOperations> {}

/** Operations authorised by a password, a token or the secret of an upload. */
export interface CredentialMethods extends MethodsOf<CredentialOperations> {}
