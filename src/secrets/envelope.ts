import type { Encoded } from '../http/index.ts'

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
 * What every successful answer of the service is wrapped in (spec document 000, "Response envelope").
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

/** Like `JSON.stringify`, but for {@link JsonText}. */
export function jsonOf(value: unknown): string {
  if (value instanceof JsonText) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value))
    return value.every((item) => typeof item !== 'object')
      ? JSON.stringify(value)
      : `[${value.map(jsonOf).join(',')}]`
  const members: string[] = []
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${jsonOf(member)}`)
  return `{${members.join(',')}}`
}
