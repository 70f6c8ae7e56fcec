import { expect } from 'vitest'
import * as z from 'zod'
import type { OpenApiDocument } from '../../src/http/index.ts'
import { ask, type Served } from '../client.ts'

/** A request of a test that succeeded, and its answer: the example of its endpoint in the reference. */
export interface RecordedAnswer {
  readonly line: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly status: number
  readonly answer: unknown
}

/** The first success of each operation, by its ID. */
export const recordedAnswers: Record<string, RecordedAnswer> = {}

const longestText = 200
const mostMembers = 24
const deepest = 4

/**
 * A text with `…` for what differs in each run and looks like a secret: tokens, keys, digests, signatures. What people
 * write has no twenty letters in a row with both cases and digits among them.
 */
function withoutRandomness(text: string): string {
  const isRandom = (word: string) => /[A-Z]/.test(word) && /[a-z]/.test(word) && /\d/.test(word)
  return text
    .replace(/(-----BEGIN [A-Z ]+-----)[^-]+/g, '$1…')
    .replace(/^((?:\w+:v\d+:)?)([\w+][\w+/-]{19,}={0,2})$/, (all, head: string, word: string) =>
      isRandom(word) ? `${head}…` : all,
    )
    .replace(/[\w+-]{20,}=*/g, (word) => (isRandom(word) ? '…' : word))
    .replace(/\bh?[0-9a-f]{32,}\b/g, '…')
}

/** An answer for people: of a list its first row, of a long text its beginning, of a deep object its upper levels. */
function shortened(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    const text = withoutRandomness(value)
    return text.length > longestText ? `${text.slice(0, longestText)}…` : text
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth === deepest) return Array.isArray(value) ? [] : {}
  if (Array.isArray(value)) return value.slice(0, 1).map((each) => shortened(each, depth + 1))
  const members = Object.entries(value).slice(0, mostMembers)
  return Object.fromEntries(members.map(([name, each]) => [name, shortened(each, depth + 1)]))
}

const isSentAsItIs = (body: unknown): boolean => typeof body === 'string' || body instanceof Uint8Array

interface Documented extends Served {
  readonly openapi: () => OpenApiDocument
}

/** What the document says of one operation, as far as it is looked at. */
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema?: object }>>

/** Asks `GET /path` with a JSON body; bytes and texts are sent as they are. */
export type AskingAsDocumented = (
  line: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on all fields it reads
) => Promise<{ readonly status: number; readonly headers: Headers; readonly body: any }>

/** Whole numbers of 64 bits: zod takes every `integer` for one that JavaScript counts with. */
const wholeNumbers = (_name: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === 'int64'
    ? { ...value, type: 'number' }
    : value

/**
 * Asks a service `GET /path`, with a JSON body if there is one, and holds question and answer to its OpenAPI document: an
 * answer has a status, a media type and a shape that are documented, with no field beside, and so has what was asked
 * with success.
 */
export function askingAsDocumented(
  service: Documented,
  credentials: Readonly<Record<string, string>> = {},
): AskingAsDocumented {
  const document = JSON.parse(JSON.stringify(service.openapi())) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: { readonly schemas: object }
  }
  const $defs = document.components.schemas

  const fits = (schema: object, value: unknown, what: string): void => {
    // The definitions stand where a schema by itself has them.
    const local = JSON.stringify({ ...schema, $defs }).replaceAll('#/components/schemas/', '#/$defs/')
    const { error } = z.fromJSONSchema(JSON.parse(local, wholeNumbers)).safeParse(value)
    expect(error?.issues ?? [], what).toEqual([])
  }

  /** The operation of the path that has the most letters in common with the one that is asked. */
  const operationAt = (method: string, path: string): Operation | undefined => {
    const matching = Object.entries(document.paths)
      .filter(
        ([template, item]) =>
          method.toLowerCase() in item && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '.+')}$`).test(path),
      )
      .sort(([a], [b]) => b.replaceAll(/\{\w+\}/g, '').length - a.replaceAll(/\{\w+\}/g, '').length)
    return matching[0]?.[1][method.toLowerCase()]
  }

  return async (line, body, headers = {}) => {
    const [method = 'GET', address = '/'] = line.split(' ')
    const url = new URL(address, 'http://service.test')
    const {
      status,
      text,
      headers: got,
    } = await ask(service, line, {
      body,
      headers: { ...credentials, ...headers },
    })
    const operation = operationAt(method, url.pathname)
    expect(operation, `${line} is documented`).toBeDefined()
    const reported = operation?.responses[status]
    expect(reported, `${line} with status ${status} is documented`).toBeDefined()
    const type = got.get('content-type')?.split(';')[0] ?? ''
    const answer = type === 'application/json' ? JSON.parse(text) : text
    if (text !== '') {
      const sent = Object.entries(reported?.content ?? {}).map(
        ([name, each]) => [name.split(';')[0], each] as const,
      )
      expect(
        sent.map(([name]) => name),
        `what ${line} sends`,
      ).toContain(type)
      const schema = sent.find(([name]) => name === type)?.[1].schema
      if (schema) fits(schema, answer, `the answer of ${line} with ${status}`)
    }
    const takes = operation?.requestBody?.content ?? {}
    if (body !== undefined && status < 300) {
      const type =
        headers['content-type'] ?? (isSentAsItIs(body) ? 'application/octet-stream' : 'application/json')
      expect(Object.keys(takes), `what ${line} takes`).toContain(type)
      if (!isSentAsItIs(body)) fits(takes[type]?.schema ?? {}, body, `the body of ${line}`)
    }
    if (operation && status < 400)
      recordedAnswers[operation.operationId] ??= {
        line: withoutRandomness(line),
        ...(Object.keys(headers).length === 0 ? {} : { headers }),
        ...(body === undefined ? {} : { body: isSentAsItIs(body) ? '@file' : shortened(body) }),
        status,
        answer: shortened(answer),
      }
    return { status, headers: got, body: answer }
  }
}
