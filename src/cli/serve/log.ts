import { systemEnv } from '../../kernel/system-env.ts'

/** What operators read. Each text is one line, or several. */
export interface Log {
  readonly info: (text: string) => void
  /** The server works, and may not do what was wanted. */
  readonly warn: (text: string) => void
  /** A request or a task failed by no fault of its caller. */
  readonly error: (text: string) => void
}

/** Writes what operators read to standard error: lines of text, or one JSON object a line for programs that collect logs. */
export function standardErrorLog(as: 'text' | 'json'): Log {
  const write = (line: string) => void process.stderr.write(line)
  const json = (level: string) => (message: string) =>
    write(`${JSON.stringify({ time: new Date(systemEnv().now).toISOString(), level, message })}\n`)
  const text = (prefix: string) => (message: string) => write(`${prefix}${message}\n`)
  return as === 'json'
    ? { info: json('info'), warn: json('warn'), error: json('error') }
    : { info: text(''), warn: text('warning: '), error: text('') }
}
