import type { Encoded } from '../../http/index.ts'

/**
 * JSON that is text already, to be sent as it is: data whose digits must come back unchanged.
 *
 * @public
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * What every successful answer of the service is wrapped in.
 *
 * @public
 */
export interface Envelope {
  readonly request_id: string
  readonly lease_id: string
  readonly renewable: boolean
  readonly lease_duration: number
  readonly data: unknown
  readonly wrap_info: unknown
  readonly warnings: readonly string[] | null
  readonly auth: unknown
}

/** The parts of an envelope that an answer fills; all others are null, empty or 0. @public */
export type EnvelopeParts = Partial<Omit<Envelope, 'request_id'>>

/** Fills an envelope: all eight fields are always there. */
export const envelope = (requestId: string, parts: EnvelopeParts): Envelope => ({
  request_id: requestId,
  lease_id: parts.lease_id ?? '',
  renewable: parts.renewable ?? false,
  lease_duration: parts.lease_duration ?? 0,
  data: parts.data ?? null,
  wrap_info: parts.wrap_info ?? null,
  warnings: parts.warnings && parts.warnings.length > 0 ? parts.warnings : null,
  auth: parts.auth ?? null,
})

/** Spells an answer: JSON with {@link JsonText} as it is, ended by a newline. */
export const encodeAnswer = (body: unknown): Encoded => ({
  content: `${jsonOf(body)}\n`,
  // Without a charset: some clients compare the whole value.
  type: 'application/json',
})

/** Like `JSON.stringify`, but for {@link JsonText}; what holds none of it is left to the host, which is faster. */
export function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (!holdsText(value)) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`
  let members = ''
  for (const name of Object.keys(value)) {
    const member: unknown = Reflect.get(value, name)
    if (member !== undefined)
      members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${jsonOf(member)}`
  }
  return `{${members}}`
}

/** Whether text stands anywhere in a value. */
function holdsText(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof JsonText) return true
  for (const name of Object.keys(value)) if (holdsText(Reflect.get(value, name))) return true
  return false
}
