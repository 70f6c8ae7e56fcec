import type { MethodsOf } from '../../operation/operation.ts'
import { accountOperations, administratorOperations } from './accounts.ts'
import { boxOperations } from './boxes.ts'
import { imageOperations } from './images.ts'
import { logInOperations } from './log-in.ts'
import { providerOperations } from './providers.ts'
import { searchOperations } from './search.ts'
import { tokenOperations } from './tokens.ts'
import { upkeepOperations } from './upkeep.ts'
import { receiveOperations, uploadOperations } from './uploads.ts'
import { versionOperations } from './versions.ts'

/** Everything that depends on who is asking. */
export const callerOperations = {
  ...boxOperations,
  ...versionOperations,
  ...providerOperations,
  ...uploadOperations,
  ...imageOperations,
  ...searchOperations,
  ...administratorOperations,
}

/** Everything that needs no caller, for leave is in a password, a token or a secret. */
export const credentialOperations = { ...tokenOperations, ...logInOperations, ...receiveOperations }

export const catalogOperations = {
  ...callerOperations,
  ...credentialOperations,
  ...accountOperations,
  ...upkeepOperations,
}

/**
 * What a caller can do: everything that depends on who is asking.
 *
 * @public
 */
export interface CatalogMethods extends MethodsOf<typeof callerOperations> {}

/** What is done for those who know a password, a token or the secret of an upload. */
export interface CredentialMethods extends MethodsOf<typeof credentialOperations> {}
