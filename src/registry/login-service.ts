import * as z from 'zod'
import { strict } from '../operation/known-fields.ts'

const url = z.string().min(1)

/** Where clients log in, as discovery says it: OAuth 2.0, with the fields of `login.v1`. */
export const LoginService = strict({
  client: z.string().min(1),
  grant_types: z.array(z.enum(['authz_code', 'password'])).optional(),
  authz: url.optional(),
  token: url,
  ports: z.tuple([z.int().min(1024).max(65_535), z.int().min(1024).max(65_535)]).optional(),
})
/**
 * Where clients log in (`terraform login`), as discovery says it: an OAuth 2.0 server of your own.
 *
 * @public
 */
export interface LoginService {
  /** The id of the client at that server. */
  readonly client: string
  /** How it may ask: by a code in the browser, which is the default, or by password. */
  readonly grant_types?: ('authz_code' | 'password')[] | undefined
  /** Where people say yes; a URL, or a path of this host. */
  readonly authz?: string | undefined
  /** The endpoint that issues tokens. */
  readonly token: string
  /** The first and the last port that the client may listen on meanwhile. */
  readonly ports?: [number, number] | undefined
}
