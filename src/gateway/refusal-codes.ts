import { type RefusalCode, refusalCodesOf } from '../http/refusal-codes.ts'

/**
 * The status of every refusal. A process without a controller returns 501 for `method_not_allowed`: it implements
 * nothing else.
 */
export const statusOf = { nothing_to_report: 404, method_not_allowed: 405 } as const

/**
 * Every refusal of the gateway, sorted by code, with its HTTP status, its meaning and a remedy.
 *
 * @example
 * ```ts
 * import { refusalCodes } from 'plinth/gateway'
 *
 * refusalCodes.find(({ code }) => code === 'nothing_to_report')?.status // 404
 * ```
 */
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(statusOf, {
  nothing_to_report: [
    'The process runs neither a controller nor a worker.',
    'Create the gateway with `controller` or `worker`.',
  ],
})
