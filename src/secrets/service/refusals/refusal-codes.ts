import { type RefusalCode, refusalCodesOf, type TextsFor } from '../../../http/refusal-codes.ts'
import { statusOf } from '../request/status.ts'
import { kvTexts } from './kv-texts.ts'
import { loginTexts } from './login-texts.ts'
import { mountTexts } from './mount-texts.ts'
import { systemTexts } from './system-texts.ts'
import { tokenTexts } from './token-texts.ts'

const texts: TextsFor<typeof statusOf> = {
  ...systemTexts,
  ...mountTexts,
  ...kvTexts,
  ...tokenTexts,
  ...loginTexts,
}

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
export const refusalCodes: readonly RefusalCode[] = /* @__PURE__ */ refusalCodesOf(statusOf, texts)
