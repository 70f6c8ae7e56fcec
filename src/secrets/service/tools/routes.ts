import * as z from 'zod'
import { type DigestAlgorithm, fromBase64, toBase64, toHex } from '../../../crypto/index.ts'
import { reply } from '../../../http/index.ts'
import { refuse } from '../../../kernel/index.ts'
import { routeOperation } from '../../../operation/operation.ts'
import { found } from '../core/answer.ts'
import { answerTwice, operationRoute, type Within } from '../core/context.ts'
import { body, integerField, textField } from '../core/fields.ts'
import { twice } from '../core/reply-shapes.ts'

const text = z.string()

export const Digest = twice({ sum: text })
export const RandomBytes = twice({ random_bytes: text })
export const Described = z.looseObject({ openapi: text, paths: z.record(text, z.unknown()) })

const HashBody = body({ input: textField, algorithm: textField, format: textField })
const RandomBody = body({ bytes: integerField, format: textField, source: textField })

/** The names of digests in requests, and in the crypto port. */
const algorithms: ReadonlyMap<string, DigestAlgorithm> = new Map([
  ['sha2-224', 'sha224'],
  ['sha2-256', 'sha256'],
  ['sha2-384', 'sha384'],
  ['sha2-512', 'sha512'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
])

const formats: ReadonlyMap<string, (bytes: Uint8Array) => string> = new Map([
  ['hex', toHex],
  ['base64', toBase64],
])

/** The maximum number of random bytes per request. */
const mostBytes = 128 * 1024

const badFormat = (format: string) =>
  refuse('tool_format', `unsupported encoding format ${JSON.stringify(format)}; must be "hex" or "base64"`)

/** The digest with this name. */
export const digestNamed = (name: string): DigestAlgorithm | undefined => algorithms.get(name)

/** Hashes base64 input. */
const hash = routeOperation({
  refuses: ['tool_algorithm', 'tool_format', 'tool_input'],
  run: async ({ core }: Within, name: string, asked: z.output<typeof HashBody>) => {
    const algorithm = algorithms.get(name)
    if (algorithm === undefined)
      return refuse('tool_algorithm', `unsupported algorithm ${JSON.stringify(name)}`)
    const spell = formats.get(asked.format || 'hex')
    if (spell === undefined) return badFormat(asked.format ?? '')
    const input = asked.input === undefined ? undefined : fromBase64(asked.input)
    // The input is not repeated: it may be secret.
    if (input === undefined) return refuse('tool_input', 'unable to decode input as base64')
    return found(spell(core.crypto.digest(algorithm, input)))
  },
})

/** Generates random bytes. */
const random = routeOperation({
  refuses: ['tool_source', 'tool_bytes', 'tool_format'],
  run: async ({ core }: Within, source: string, bytes: number, format: string) => {
    if (!['platform', 'seal', 'all'].includes(source))
      return refuse(
        'tool_source',
        `unsupported entropy source ${JSON.stringify(source)}; must be "platform" or "seal", or "all"`,
      )
    if (!(bytes >= 1)) return refuse('tool_bytes', '"bytes" cannot be less than 1')
    if (bytes > mostBytes) return refuse('tool_bytes', `"bytes" should be less than or equal to ${mostBytes}`)
    const spell = formats.get(format)
    return spell === undefined ? badFormat(format) : found(spell(core.crypto.randomBytes(bytes)))
  },
})

/** Stateless routes for digests and random bytes, at a path within a mount. */
export const toolsAt = (root: '/tools' | '', id: 'sys' | 'transit') => [
  ...([`${root}/hash`, `${root}/hash/:algorithm`] as const).map((path) =>
    operationRoute({
      id: path.endsWith('/hash') ? `${id}.hash` : `${id}.hash-with`,
      method: 'POST',
      path,
      summary: 'Hash base64 input; sha2-256 and hexadecimal by default',
      access: 'update',
      body: HashBody,
      reply: Digest,
      run: hash,
      with: ({ params, body }) => [
        ('algorithm' in params ? params['algorithm'] : body.algorithm) || 'sha2-256',
        body,
      ],
      show: (sum, { context }) => answerTwice(context, { sum }),
    }),
  ),
  ...([`${root}/random`, `${root}/random/:size`, `${root}/random/:source/:size`] as const).map(
    (path, given) =>
      operationRoute({
        id: `${id}.${['random', 'random-of', 'random-from'][given] ?? ''}`,
        method: 'POST',
        path,
        summary: 'Generate random bytes; 32 in base64 by default',
        access: 'update',
        body: RandomBody,
        reply: RandomBytes,
        run: random,
        with: ({ params, body: asked }) => {
          const [last = '', first = ''] = [params['size'], params['source']]
          const isSource = first === '' && last !== '' && !/^\d+$/.test(last)
          const source = first || (isSource ? last : asked.source) || 'platform'
          const bytes = last !== '' && !isSource ? Number(last) : (asked.bytes ?? 32)
          return [source, bytes, asked.format || 'base64']
        },
        show: (drawn, { context }) => answerTwice(context, { random_bytes: drawn }),
      }),
  ),
]

const describe = routeOperation({ refuses: [], run: ({ core }: Within) => found(core.openapi()) })

/** The stateless tools: the OpenAPI document, digests and random bytes. */
export const toolRoutes = [
  operationRoute({
    id: 'sys.openapi',
    method: 'GET',
    path: '/internal/specs/openapi',
    summary: 'Read the OpenAPI document of the service',
    access: 'read',
    reply: Described,
    run: describe,
    // The original's has its paths below /v1.
    show: ({ paths, ...document }, { exchange: { basePath } }) =>
      reply({
        ...document,
        servers: [{ url: `${basePath}/v1` }],
        paths: Object.fromEntries(
          Object.entries(paths).map(([path, methods]) => [path.replace(/^\/v1(?=\/)/, ''), methods]),
        ),
      }),
  }),
  ...toolsAt('/tools', 'sys'),
]
