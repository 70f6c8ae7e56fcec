import type { Answer as Answered } from '../client.ts'

/** The addresses of a server's services. */
export interface Server {
  readonly secrets: string
  readonly scheduler: string
}

/** What the clients saw. */
export interface Seen {
  readonly answers: number
  /** Requests that were answered 503, or not at all. */
  readonly failures: number
  /** The longest that a request took, in milliseconds. */
  readonly slowestMs: number
  /** Acknowledged jobs, secrets and revocations. */
  readonly kept: { readonly jobs: number; readonly secrets: number; readonly revoked: number }
  /** What must not be: lost or torn writes, falling or repeated indexes, answers other than expected. */
  readonly wrong: readonly string[]
}

/** Clients of the services of several servers. */
export interface Clients {
  /** Resolves with the milliseconds until a server has acknowledged a write that began after an instant. */
  acknowledges(server: number, since: number): Promise<number>
  /** Resolves once each client has made so many more rounds without a failure. */
  rounds(count: number): Promise<void>
  /** Ends the clients, and looks for everything that was acknowledged. */
  end(): Promise<Seen>
}

/** The token of the secrets service that all requests have. */
export const rootToken = 'root-of-the-faults'

/** The longest that a request may take during any fault. */
const hangsMs = 30_000

interface Answer extends Pick<Answered, 'status' | 'body'> {
  readonly index: number
}

/** `undefined` if the server did not answer: the outcome is unknown. */
type Outcome = Answer | undefined

/**
 * One client for each server. It writes a secret, a job and a tree of tokens at its server, and reads them at the others.
 *
 * @param servers - asked before each request; `undefined` stands for a server that a load balancer would not ask
 */
export async function serviceClients(servers: () => readonly (Server | undefined)[]): Promise<Clients> {
  const wrong: string[] = []
  const indexes = new Set<number>()
  let [answers, failures, slowestMs, isOver] = [0, 0, 0, false]
  const kept = { jobs: 0, secrets: 0, revoked: 0 }
  const upServers = () => servers().flatMap((server, at) => (server === undefined ? [] : [{ server, at }]))

  async function ask(url: string, method: string, body?: object, token = rootToken): Promise<Outcome> {
    const began = performance.now()
    try {
      const response = await fetch(url, {
        method,
        headers: { 'X-Secrets-Token': token },
        signal: AbortSignal.timeout(hangsMs),
        ...(body && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      answers += 1
      const { status } = response
      if (status === 503) return fail()
      if (status >= 500) wrong.push(`${method} ${new URL(url).pathname}: ${status} ${text}`)
      const index = Number(response.headers.get('x-scheduler-index'))
      return { status, index, body: text.startsWith('{') ? JSON.parse(text) : text }
    } catch (error) {
      if (error instanceof DOMException) wrong.push(`${method} ${url}: no answer after ${hangsMs} ms`)
      return fail()
    } finally {
      slowestMs = Math.max(slowestMs, performance.now() - began)
    }
  }
  const fail = () => {
    failures += 1
    return undefined
  }

  const crew = servers().map((_, number) => client(number))

  /** One client, and what is known of its writes. */
  function client(number: number) {
    const name = `c${number}`
    /** For each key, the last acknowledged number, and the last that was sent. */
    const secret = { acked: 0, sent: 0 }
    const jobs = new Map<string, { acked: number; sent: number; index: number }>()
    /** Tokens, and whether their parent was revoked: `unknown` if the revocation was not acknowledged. */
    const tokens: { readonly token: string; state: 'valid' | 'unknown' | 'revoked' }[] = []
    let [round, newest] = [0, 0]
    let heard = () => {}
    let [done, doneEnough] = [0, () => {}]

    /** Any other server, or this one if there is none. */
    const other = (): Server | undefined => {
      const up = upServers().filter(({ at }) => at !== number)
      return (up[round % Math.max(1, up.length)] ?? upServers()[0])?.server
    }
    const checkNumber = (what: string, found: number, known: { acked: number; sent: number }) => {
      if (found < known.acked || found > known.sent)
        wrong.push(`${what} is ${found}; ${known.acked} was acknowledged, and ${known.sent} the last sent`)
    }
    const checkIndex = (ID: string, job: { index: number }, found: number) => {
      if (found < job.index) wrong.push(`the index of the job ${ID} fell from ${job.index} to ${found}`)
      job.index = Math.max(job.index, found)
    }
    const acknowledged = (began: number) => {
      newest = Math.max(newest, began)
      heard()
    }

    const writeSecret = async (at: Server): Promise<boolean> => {
      const began = performance.now()
      secret.sent += 1
      const sent = secret.sent
      const written = await ask(`${at.secrets}/v1/secret/data/${name}`, 'POST', { data: { n: sent } })
      if (written?.status !== 200) return false
      secret.acked = sent
      kept.secrets += 1
      if (at === servers()[number]) acknowledged(began)
      return true
    }
    const readSecret = async (at: Server | undefined): Promise<boolean> => {
      if (at === undefined) return false
      const known = { ...secret }
      const read = await ask(`${at.secrets}/v1/secret/data/${name}`, 'GET')
      if (read)
        checkNumber(`the secret of ${name}`, read.status === 404 ? 0 : Number(read.body.data?.data?.n), known)
      return read !== undefined
    }
    const writeJob = async (at: Server): Promise<boolean> => {
      const ID = `${name}-${round % 20}`
      const job = jobs.get(ID) ?? { acked: 0, sent: 0, index: 0 }
      jobs.set(ID, job)
      job.sent += 1
      const sent = job.sent
      const Task = { Name: 'task', Driver: 'mock_driver' }
      const Job = {
        ID,
        Type: 'batch',
        Datacenters: ['*'],
        Meta: { n: String(sent) },
        TaskGroups: [{ Name: 'group', Count: 1, Tasks: [Task] }],
      }
      const written = await ask(`${at.scheduler}/v1/jobs`, 'PUT', { Job })
      if (written === undefined) return false
      if (written.status !== 200) wrong.push(`a job was answered ${written.status}`)
      job.acked = sent
      kept.jobs += 1
      const { JobModifyIndex } = written.body
      if (indexes.has(JobModifyIndex)) wrong.push(`the index ${JobModifyIndex} was given twice`)
      indexes.add(JobModifyIndex)
      checkIndex(ID, job, JobModifyIndex)
      return true
    }
    const readJob = async (at: Server | undefined, ID = `${name}-${round % 20}`): Promise<boolean> => {
      const job = jobs.get(ID)
      if (at === undefined || job === undefined) return false
      const known = { ...job }
      const read = await ask(`${at.scheduler}/v1/job/${ID}`, 'GET')
      if (read === undefined) return false
      checkNumber(`the job ${ID}`, read.status === 404 ? 0 : Number(read.body.Meta?.n), known)
      checkIndex(ID, job, read.index)
      return true
    }
    const create = (at: Server, body: object, token?: string) =>
      ask(`${at.secrets}/v1/auth/token/create`, 'POST', { ttl: '10h', ...body }, token)
    /** A token with a child, of which every second is revoked. */
    const makeTree = async (at: Server): Promise<boolean> => {
      const parent = (await create(at, { policies: ['maker'] }))?.body.auth?.client_token
      const child = parent && (await create(at, { policies: ['default'] }, parent))?.body.auth?.client_token
      if (child === undefined) return false
      const tree = [parent, child].map((token) => ({
        token,
        state: 'valid' as 'valid' | 'unknown' | 'revoked',
      }))
      tokens.push(...tree)
      if (round % 2 === 0) return true
      for (const each of tree) each.state = 'unknown'
      const revoked = await ask(`${at.secrets}/v1/auth/token/revoke`, 'POST', { token: parent })
      if (revoked?.status !== 204) return false
      for (const each of tree) each.state = 'revoked'
      kept.revoked += 1
      return true
    }
    const checkTokens = async (at: Server | undefined, some: readonly (typeof tokens)[number][]) => {
      for (const each of some) {
        if (at === undefined) return false
        const { state } = each
        const found = await ask(`${at.secrets}/v1/auth/token/lookup-self`, 'GET', undefined, each.token)
        if (found === undefined) return false
        if (state === 'valid' ? found.status !== 200 : state === 'revoked' && found.status !== 403)
          wrong.push(`a token that is ${state} was answered ${found.status}`)
      }
      return true
    }

    const running = (async () => {
      for (; !isOver; round += 1) {
        const own = servers()[number] ?? upServers()[0]?.server
        if (own === undefined) {
          await pause(50)
          continue
        }
        const results = [
          await writeSecret(own),
          await readSecret(other()),
          await writeJob(own),
          await readJob(other()),
          round % 5 > 1 || ((await makeTree(own)) && (await checkTokens(other(), tokens.slice(-2)))),
        ]
        if (results.every(Boolean)) done += 1
        else await pause(50)
        doneEnough()
      }
    })()
    return {
      running,
      acknowledges: (since: number) =>
        new Promise<number>((resolve) => {
          heard = () => {
            if (newest > since) resolve(performance.now() - since)
          }
        }),
      rounds: (count: number) =>
        new Promise<void>((resolve) => {
          const until = done + count
          doneEnough = () => {
            if (done >= until) resolve()
          }
        }),
      check: async () => {
        const at = () => upServers()[number % upServers().length]?.server
        const checks = [
          () => readSecret(at()),
          ...[...jobs.keys()].map((ID) => () => readJob(at(), ID)),
          ...tokens.map((each) => () => checkTokens(at(), [each])),
        ]
        for (const check of checks)
          for (let tries = 0; !(await check()); tries += 1) {
            if (tries === 100) throw new Error('the servers do not answer after the end')
            await pause(100)
          }
      },
    }
  }

  return {
    acknowledges: (server, since) => crew[server]?.acknowledges(since) ?? Promise.resolve(0),
    rounds: async (count) => void (await Promise.all(crew.map((each) => each.rounds(count)))),
    end: async () => {
      isOver = true
      for (const { running } of crew) await running
      for (const { check } of crew) await check()
      return { answers, failures, slowestMs, kept, wrong }
    },
  }
}

/** Writes what the clients need: a policy for tokens that make tokens. */
export async function prepareServices({ secrets }: Server): Promise<void> {
  const policy = 'path "auth/token/create" { capabilities = ["update"] }'
  for (;;) {
    const { status } = await fetch(`${secrets}/v1/sys/policies/acl/maker`, {
      method: 'PUT',
      headers: { 'X-Secrets-Token': rootToken },
      body: JSON.stringify({ policy }),
    })
    if (status === 204) return
    if (status !== 503) throw new Error(`the policy was answered ${status}`)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
