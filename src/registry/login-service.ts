import * as z from 'zod'
import { strict } from '../operation/known-fields.ts'

const url = z.string().min(1)

/** The login section of the discovery document: OAuth 2.0, with the fields of `login.v1`. */
export const LoginService = strict({
  client: z.string().min(1),
  grant_types: z.array(z.enum(['authz_code', 'password'])).optional(),
  authz: url.optional(),
  token: url,
  ports: z.tuple([z.int().min(1024).max(65_535), z.int().min(1024).max(65_535)]).optional(),
})
/**
 * The OAuth 2.0 server at which clients sign in (`terraform login`), for the discovery document.
 */
export interface LoginService {
  /** The client id at that server. */
  readonly client: string
  /** The grant types: an authorization code in the browser, which is the default, or a password. */
  readonly grant_types?: ('authz_code' | 'password')[] | undefined
  /** The authorization endpoint; a URL, or a path of this host. */
  readonly authz?: string | undefined
  /** The token endpoint. */
  readonly token: string
  /** The first and last port for the client's redirect listener. */
  readonly ports?: [number, number] | undefined
}
