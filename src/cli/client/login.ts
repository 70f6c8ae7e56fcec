import { text } from 'node:stream/consumers'
import { systemEnv } from '../../kernel/index.ts'
import { UserError } from '../user-error.ts'
import { readArguments } from './arguments.ts'
import { type Connection, connect, connectionOptions, succeeded } from './connection.ts'
import { printRows, tokenRows } from './print.ts'
import { misused, usages } from './usages.ts'

/**
 * `plinth login`: logs in through the identity provider.
 *
 * @remarks
 * It generates the nonce itself and shows the number to press while the login waits. A password that is not given is
 * asked for.
 */
export async function loginCommand(args: readonly string[]): Promise<void> {
  const { options, pairs } = readArguments(args, [...connectionOptions, 'method', 'path', 'token-only'])
  const { username, password, totp, provider, ...rest } = pairs
  const [stranger] = Object.keys(rest)
  if (stranger !== undefined)
    throw new UserError(`there is no login parameter "${stranger}". usage: ${usages.login[0]}`, 2)
  if (username === undefined || username === '') throw misused('login')
  const mount = (options['path'] ?? options['method'] ?? 'idp').replace(/^\/+|\/+$/g, '')
  const connection = connect(options)
  const nonce = systemEnv().newId('nonce')
  const body = {
    password: password ?? (await askPassword(username)),
    nonce,
    ...(totp === undefined ? {} : { totp }),
    ...(provider === undefined ? {} : { provider }),
  }

  const waiting = new AbortController()
  const challenge = showChallenge(connection, `auth/${mount}/verify/${nonce}`, waiting.signal)
  const answer = await connection.call('PUT', `auth/${mount}/login/${username}`, { body })
  waiting.abort()
  await challenge
  report(options, succeeded(answer, `logging ${username} in`))
}

/** Asks for the number every second until there is one or the login has ended. */
async function showChallenge(connection: Connection, path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const asked = await connection.call('GET', path).catch(() => undefined)
    const data = asked?.body?.['data']
    if (asked?.status === 200 && typeof data === 'object' && data !== null && 'correct_answer' in data) {
      if (!signal.aborted)
        process.stderr.write(`In your authenticator app, press ${String(data.correct_answer)}.\n`)
      return
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1000)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
}

function report(options: Readonly<Record<string, string>>, body: Readonly<Record<string, unknown>>): void {
  const auth = body['auth']
  if (typeof auth !== 'object' || auth === null || !('client_token' in auth))
    throw new UserError('the service answered without a token')
  if (options['format'] === 'json') return void process.stdout.write(`${JSON.stringify(body, null, 2)}\n`)
  if (options['token-only'] === 'true') return void process.stdout.write(`${String(auth.client_token)}\n`)
  printRows(tokenRows(auth))
  process.stderr.write('\nPut the token in SECRETS_TOKEN for the next commands.\n')
}

/** Reads a password from the terminal without showing it, or from standard input where that is a pipe. */
async function askPassword(username: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY) return (await text(stdin)).replace(/\r?\n$/, '')
  stderr.write(`Password for ${username}: `)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let typed = ''
  try {
    for await (const chunk of stdin) {
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n' || key === '\u0004') return typed
        if (key === '\u0003') throw new UserError('cancelled')
        typed = key === '\u007f' ? typed.slice(0, -1) : typed + key
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
