import { type RefusalCode, refusalCodesOf, statusesOf, textsOf } from '../../../http/refusal-codes.ts'
import { kvRefusals } from './kv.ts'
import { loginRefusals } from './login.ts'
import { mountRefusals } from './mount.ts'
import { requestRefusals } from './request.ts'
import { tokenRefusals } from './token.ts'

const rows = { ...requestRefusals, ...mountRefusals, ...kvRefusals, ...tokenRefusals, ...loginRefusals }

/** Refusal → status. */
export const statusOf = /* @__PURE__ */ statusesOf(rows)

/**
 * Every refusal of the secrets service, sorted by code, with its HTTP status, its meaning and a remedy.
 *
 * @example
 * ```ts
 * import { refusalCodes } from 'plinth/secrets'
 *
 * refusalCodes.find(({ code }) => code === 'sealed')?.status // 503
 * ```
 */
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(statusOf, textsOf(rows))
