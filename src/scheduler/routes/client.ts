import * as z from 'zod'
import { type Exchange, raw, reply } from '../../http/index.ts'
import { type Refused, refuse } from '../../kernel/index.ts'
import { routeOperation } from '../../operation/operation.ts'
import { askRunner, type Question, type RunnerCaller, runnerRefusals } from '../operations/client.ts'
import { AllocationFile, type RunnerAnswer, type RunnerCall } from '../runners/call-model.ts'
import type { Cluster } from '../service/cluster.ts'
import { ResourceUsage, usageOf } from '../wire/usage.ts'
import { readBody } from './body.ts'
import { operationRoute, type SchedulerRoute } from './context.ts'
import { readFlags } from './reads.ts'

type Asked = { readonly ok: true; readonly value: RunnerAnswer } | Refused<(typeof runnerRefusals)[number]>

/** Asks the runner of an allocation, and again for what follows. */
interface Conversation {
  readonly first: RunnerAnswer
  readonly next: (after: RunnerAnswer) => Promise<Asked>
  /** Ends the conversation. */
  readonly end: () => void
}

const ask = routeOperation({
  refuses: runnerRefusals,
  run: (cluster: Cluster, id: string, question: Question, caller: RunnerCaller) =>
    askRunner(cluster, id, question, caller),
})

const converse = routeOperation({
  refuses: runnerRefusals,
  run: async (
    cluster: Cluster,
    id: string,
    question: Question & { readonly limit?: number | undefined },
    caller: RunnerCaller,
  ) => {
    const gone = new AbortController()
    const { limit, ...asked } = question
    const once = { ...caller, signal: gone.signal }
    let left = limit ?? Number.POSITIVE_INFINITY
    const part = async (at: object): Promise<Asked> => {
      const found = await askRunner(cluster, id, { ...asked, Limit: Math.min(left, chunkBytes), ...at }, once)
      if (!found.ok) return found
      left -= sizeOf(found.value)
      return left > 0 ? found : { ok: true, value: { ...found.value, IsLast: true } }
    }
    // The head of the answer does not wait for output.
    const first = await part({ WaitMs: Math.min(asked.WaitMs ?? 0, 1) })
    if (!first.ok) {
      const { code, message } = first.refusal
      // As the original does, which answers 404 only when it lists a folder or describes a file.
      return code === 'file_not_found' && asked.Do === 'read' ? refuse('invalid_runner_call', message) : first
    }
    const next: Conversation['next'] = (after) =>
      part({ File: after.File, Offset: after.Offset + sizeOf(after), Origin: 'start' })
    const value: Conversation = { first: first.value, next, end: () => gone.abort() }
    return { ok: true as const, value }
  },
})

/** The bytes of an answer. */
const chunkBytes = 32 * 1024

/** How long a runner waits for more at the end of an output that is followed. */
const followMs = 10_000

const sizeOf = ({ Data }: RunnerAnswer) => (Data.length / 4) * 3 - (/=*$/.exec(Data)?.[0].length ?? 0)
const bytesOf = ({ Data }: RunnerAnswer) => Uint8Array.from(atob(Data), (sign) => sign.charCodeAt(0))

/** Streams a conversation: the next part is asked for when the one before was read, and none once the reader is gone. */
function streamOf(
  { first, next, end }: Conversation,
  encode: (part: RunnerAnswer) => Uint8Array<ArrayBuffer> | undefined,
): ReadableStream<Uint8Array> {
  let ready: RunnerAnswer | undefined = first
  let last = first
  let isGone = false
  return new ReadableStream<Uint8Array>(
    {
      // The head is sent at once, also if no output comes for hours.
      start: (controller) => controller.enqueue(new Uint8Array()),
      pull: async (controller) => {
        for (;;) {
          if (ready === undefined) {
            const found: Asked | undefined = last.IsLast ? undefined : await next(last)
            if (isGone) return
            if (!found?.ok) return controller.close()
            ready = found.value
          }
          last = ready
          ready = undefined
          const bytes = encode(last)
          if (bytes !== undefined) return controller.enqueue(bytes)
        }
      },
      cancel: () => {
        isGone = true
        end()
      },
    },
    { highWaterMark: 0 },
  )
}

const text = new TextEncoder()

/** A part as a frame of the log stream, in base64. */
const frameOf = (part: RunnerAnswer) =>
  part.Data === ''
    ? undefined
    : text.encode(`${JSON.stringify({ Offset: part.Offset, Data: part.Data, File: part.Path })}\n`)
const plainOf = (part: RunnerAnswer) => (part.Data === '' ? undefined : bytesOf(part))

const whole = (name: string, value = '') =>
  /^\d{0,15}$/.test(value)
    ? Number(value)
    : refuse('invalid_fields', `${name} must be a whole number of bytes`)

/** Where a stream begins. */
const position = {
  offset: z.string().optional().describe('the first byte from the origin'),
  origin: z.string().default('start').describe('start or end'),
}

function positionOf({
  origin: Origin,
  offset,
}: {
  readonly origin: string
  readonly offset?: string | undefined
}) {
  if (Origin !== 'start' && Origin !== 'end') return refuse('invalid_fields', 'origin must be start or end')
  const Offset = whole('offset', offset)
  if (typeof Offset !== 'number') return Offset
  const value: Pick<RunnerCall, 'Origin' | 'Offset'> = { Origin, Offset }
  return { ok: true as const, value }
}

const common = { region: z.string().optional().describe('forwards the request to a server of that region') }
const PathQuery = z.object({
  path: z.string().default('/').describe('the path within the folder of the allocation'),
  ...common,
})
const files = { access: 'namespace:read-fs', needs: ['read-fs'] } as const

const answered = (conversation: Conversation, exchange: Exchange, isPlain: boolean) => {
  const type = isPlain ? 'text/plain; charset=utf-8' : 'application/json'
  if (exchange.method !== 'HEAD') return raw(streamOf(conversation, isPlain ? plainOf : frameOf), type)
  conversation.end()
  return raw('', type)
}

const look = (name: 'ls' | 'stat', Do: 'list' | 'stat', summary: string, body: z.ZodType) =>
  operationRoute({
    id: `client.${name}`,
    method: 'GET',
    path: `/v1/client/fs/${name}/:alloc_id`,
    summary,
    access: files.access,
    query: PathQuery,
    reply: body,
    run: ask,
    with: ({ context: { token }, params, query: { path: Path } }) => [
      String(params['alloc_id']),
      { Do, Path },
      { token, needs: files.needs },
    ],
    show: ({ Files }) => reply(Do === 'list' ? Files : Files[0]),
  })

const ActionBody = z.object({
  TaskName: z.string().default(''),
  Task: z.string().default(''),
  Signal: z.string().default(''),
  AllTasks: z.boolean().default(false),
})

const act = (Do: 'restart' | 'signal', summary: string) =>
  operationRoute({
    id: `client.${Do}`,
    method: ['PUT', 'POST'],
    path: `/v1/client/allocation/:alloc_id/${Do}`,
    summary,
    description:
      'Body: {"TaskName": "web"} or {"Task": "web", "Signal": "SIGHUP"}; without a task, all that run.',
    access: 'namespace:alloc-lifecycle',
    query: z.object(common),
    accepts: ActionBody,
    reply: z.object({}),
    refusals: ['body_empty', 'body_not_object', 'invalid_fields'],
    run: ask,
    with: ({ context: { token }, params, body }) => {
      const read = readBody(ActionBody, body ?? {}, 'an action', 'invalid_fields')
      if (!read.ok) return read
      const { TaskName, Task, Signal } = read.value
      return [
        String(params['alloc_id']),
        { Do, Task: TaskName || Task, Signal },
        { token, needs: ['alloc-lifecycle'] as const },
      ]
    },
    show: () => reply({}),
  })

/** Declares a read of a file's bytes. */
const reading = (name: 'cat' | 'readat', summary: string) =>
  operationRoute({
    id: `client.${name}`,
    method: 'GET',
    path: `/v1/client/fs/${name}/:alloc_id`,
    summary,
    access: files.access,
    query: PathQuery.extend({
      offset: z.string().optional().describe('the first byte; 0 by default'),
      limit: z.string().optional().describe('the most bytes; all by default'),
    }),
    sends: 'text/plain; charset=utf-8',
    refusals: ['invalid_fields'],
    run: converse,
    with: ({ context: { token }, params, query }) => {
      const Offset = whole('offset', query.offset)
      if (typeof Offset !== 'number') return Offset
      const limit = whole('limit', query.limit)
      if (typeof limit !== 'number') return limit
      return [
        String(params['alloc_id']),
        { Do: 'read' as const, Path: query.path, Offset, limit: limit || undefined },
        { token, needs: files.needs },
      ]
    },
    show: (conversation, { exchange }) => answered(conversation, exchange, true),
  })

/** The files, logs and resource usage of allocations, and actions on their tasks: their runner answers. */
export const clientRoutes: readonly SchedulerRoute[] = [
  look(
    'ls',
    'list',
    'List a folder of an allocation',
    z.array(AllocationFile.meta({ id: 'AllocationFile' })),
  ),
  look('stat', 'stat', 'Read what a file of an allocation is', AllocationFile),
  reading('cat', 'Read a file of an allocation'),
  reading('readat', 'Read a part of a file of an allocation'),
  operationRoute({
    id: 'client.stream',
    method: 'GET',
    path: '/v1/client/fs/stream/:alloc_id',
    summary: 'Read a file of an allocation, and follow it',
    description:
      'A stream of frames {"Offset","Data","File"} with Data in base64. It follows the file until the allocation ends.',
    access: files.access,
    query: PathQuery.extend({
      follow: z.string().optional().describe('false ends at the end of the file'),
      ...position,
    }),
    sends: 'application/json',
    refusals: ['invalid_fields', 'invalid_flag'],
    run: converse,
    with: ({ context: { token }, params, query }) => {
      const from = positionOf(query)
      if (!from.ok) return from
      const flags = readFlags<'follow'>(query, [['follow', { about: '', otherwise: true }]])
      if (!flags.ok) return flags
      const question = { Do: 'read' as const, Path: query.path, ...from.value }
      const WaitMs = flags.value.follow ? followMs : 0
      return [params.alloc_id, { ...question, WaitMs }, { token, needs: files.needs }]
    },
    show: (conversation, { exchange }) => answered(conversation, exchange, false),
  }),
  operationRoute({
    id: 'client.logs',
    method: 'GET',
    path: '/v1/client/fs/logs/:alloc_id',
    summary: 'Read the output of a task, and follow it',
    description:
      'A stream of frames {"Offset","Data","File"} with Data in base64, or of the bytes themselves with plain. With follow it ends when the task does.',
    access: 'namespace:read-logs or namespace:read-fs',
    query: z.object({
      task: z.string().default('').describe('the name of the task'),
      type: z.string().default('').describe('stdout or stderr'),
      follow: z.string().optional().describe('true waits for more output'),
      ...position,
      plain: z.string().optional().describe('true sends the bytes themselves'),
      ...common,
    }),
    sends: 'application/json',
    refusals: ['invalid_fields', 'invalid_flag'],
    run: converse,
    with: ({ context: { token }, params, query }) => {
      const { task: Task, type: Type } = query
      if (Task === '') return refuse('invalid_fields', 'must provide task name')
      if (Type !== 'stdout' && Type !== 'stderr')
        return refuse('invalid_fields', 'log type must be stdout or stderr')
      const from = positionOf(query)
      if (!from.ok) return from
      const flags = readFlags<'follow' | 'plain'>(query, logFlags)
      if (!flags.ok) return flags
      const WaitMs = flags.value.follow ? followMs : 0
      const question: Question = { Do: 'logs', Task, Type, WaitMs, ...from.value }
      return [params.alloc_id, question, { token, needs: ['read-logs', 'read-fs'] as const }]
    },
    show: (conversation, { exchange, query }) => {
      const flags = readFlags<'follow' | 'plain'>(query, logFlags)
      return answered(conversation, exchange, flags.ok && flags.value.plain)
    },
  }),
  operationRoute({
    id: 'client.stats',
    method: 'GET',
    path: '/v1/client/allocation/:alloc_id/stats',
    summary: 'Read what the tasks of an allocation use',
    description:
      'The processor, measured for half a second, and the memory of each running task with its child processes.',
    access: 'namespace:read-job',
    query: z.object({ task: z.string().default('').describe('only this task'), ...common }),
    reply: ResourceUsage,
    run: ask,
    with: ({ context: { token }, params, query: { task: Task } }) => [
      String(params['alloc_id']),
      { Do: 'stats' as const, Task },
      { token, needs: ['read-job'] as const },
    ],
    show: ({ Usage }) => reply(usageOf(Usage)),
  }),
  act('restart', 'Restart a task of an allocation'),
  act('signal', 'Send a signal to a task of an allocation'),
]

const logFlags = [
  ['follow', { about: '' }],
  ['plain', { about: '' }],
] as const
