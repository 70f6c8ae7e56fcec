import * as z from 'zod'
import type { QuotaSettings } from '../../quotas/model.ts'
import { body, booleanField, listField, numberField, secondsField, textField } from '../core/fields.ts'
import { enveloped } from '../core/reply-shapes.ts'
import { viewOf } from '../core/view.ts'
import type { RateLimitView } from './operations.ts'

const text = z.string()
const texts = z.array(text)
const yes = z.boolean()

export const RateLimitBody = body({
  path: textField,
  role: textField,
  rate: numberField,
  interval: secondsField,
  block_interval: secondsField,
  inheritable: booleanField,
  group_by: textField,
})

export const SettingsBody = body({
  rate_limit_exempt_paths: listField,
  absolute_rate_limit_exempt_paths: listField,
  enable_rate_limit_audit_logging: booleanField,
  enable_rate_limit_response_headers: booleanField,
})

const rateLimit = viewOf<RateLimitView>()({
  type: [text, () => 'rate-limit'],
  name: [text, ({ name }) => name],
  path: [text, ({ path }) => path],
  role: [text, ({ role }) => role],
  rate: [z.number(), ({ rate }) => rate],
  interval: [z.int(), ({ intervalSeconds }) => intervalSeconds],
  block_interval: [z.int(), ({ blockIntervalSeconds }) => blockIntervalSeconds],
  inheritable: [yes, ({ inheritable }) => inheritable],
  group_by: [text, () => 'ip'],
})
export const rateLimitWire = rateLimit.show
export const RateLimitReply = enveloped(z.object(rateLimit.shape))

const settings = viewOf<QuotaSettings>()({
  rate_limit_exempt_paths: [texts, ({ exemptPaths }) => exemptPaths],
  absolute_rate_limit_exempt_paths: [texts, ({ absoluteExemptPaths }) => absoluteExemptPaths],
  enable_rate_limit_audit_logging: [yes, ({ auditLogging }) => auditLogging],
  enable_rate_limit_response_headers: [yes, ({ responseHeaders }) => responseHeaders],
})
export const settingsWire = settings.show
export const SettingsReply = enveloped(z.object(settings.shape))
