import type { IdpProvider } from '../../secrets/idp/index.ts'
import { readIdpScript, scriptedProvider } from '../../testing/index.ts'
import { fileText } from '../file-text.ts'
import { UserError } from '../user-error.ts'

/** Reads the file of `--idp-script`. */
export async function readProvider(path: string): Promise<IdpProvider> {
  const script = readIdpScript(await fileText(path, 'the identity-provider script'))
  if (!script.ok) throw new UserError(`${path}: ${script.refusal.message}`)
  return scriptedProvider(script.value)
}
