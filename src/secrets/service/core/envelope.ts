import type { Encoded } from '../../../http/index.ts'

/**
 * JSON in text form that is sent unchanged, so that no digit of its numbers is lost.
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * The envelope of every successful answer.
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
  /** The type of the mount that answered; empty for wrapped answers. */
  readonly mount_type: string
}

/** The parts of an envelope that an answer fills; all others are null, empty or 0. */
export type EnvelopeParts = Partial<Omit<Envelope, 'request_id' | 'mount_type'>>

/** Builds an envelope: all its fields are always present. */
export const envelope = (requestId: string, mountType: string, parts: EnvelopeParts): Envelope => ({
  request_id: requestId,
  lease_id: parts.lease_id ?? '',
  renewable: parts.renewable ?? false,
  lease_duration: parts.lease_duration ?? 0,
  data: parts.data ?? null,
  wrap_info: parts.wrap_info ?? null,
  warnings: parts.warnings && parts.warnings.length > 0 ? parts.warnings : null,
  auth: parts.auth ?? null,
  mount_type: mountType,
})

/** Serialises an answer: JSON with {@link JsonText} unchanged, and a newline at the end. */
export const encodeAnswer = (body: unknown): Encoded => ({
  content: `${jsonOf(body)}\n`,
  // Without a charset: some clients compare the whole value.
  type: 'application/json',
})

/** Like `JSON.stringify`, but for {@link JsonText}: as the whole of an answer, or as the data of an envelope. */
export function jsonOf(body: unknown): string {
  if (body instanceof JsonText) return body.text
  if (!isExact(body)) return JSON.stringify(body) ?? 'null'
  const { request_id, lease_id, renewable, lease_duration, data, wrap_info, warnings, auth, mount_type } =
    body
  const head = JSON.stringify({ request_id, lease_id, renewable, lease_duration })
  const rest = JSON.stringify({ wrap_info, warnings, auth, mount_type })
  return `${head.slice(0, -1)},"data":${data.text},${rest.slice(1)}`
}

const isExact = (body: unknown): body is Envelope & { readonly data: JsonText } =>
  typeof body === 'object' && body !== null && 'data' in body && body.data instanceof JsonText
