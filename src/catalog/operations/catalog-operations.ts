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
import { searchOperations } from './search.ts'
import { issuedTokenOperations, tokenOperations } from './tokens.ts'
import { upkeepOperations } from './upkeep.ts'
import { receiveOperations, uploadOperations } from './uploads.ts'
import { versionOperations } from './versions.ts'

/** All operations that depend on the caller. */
export const callerOperations = {
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
}

/** All operations that need no caller, because a password, a token or a secret authorises them. */
export const credentialOperations = {
  ...tokenOperations,
  ...logInOperations,
  ...ownAccountOperations,
  ...receiveOperations,
}

export const catalogOperations = {
  ...callerOperations,
  ...credentialOperations,
  ...accountOperations,
  ...upkeepOperations,
}

/**
 * All operations that depend on the caller.
 */
export interface CatalogMethods extends MethodsOf<typeof callerOperations> {}

/** Operations authorised by a password, a token or the secret of an upload. */
export interface CredentialMethods extends MethodsOf<typeof credentialOperations> {}
