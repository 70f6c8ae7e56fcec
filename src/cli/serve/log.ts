import { systemEnv } from '../../kernel/system-env.ts'

/** Messages for operators. Each text is one line, or several. */
export interface Log {
  readonly info: (text: string) => void
  /** The server works, but perhaps not as intended. */
  readonly warn: (text: string) => void
  /** A request or a task failed without a mistake of its caller. */
  readonly error: (text: string) => void
}

/** Writes messages for operators to standard error: lines of text, or one JSON object per line for log collectors. */
export function standardErrorLog(as: 'text' | 'json'): Log {
  const write = (line: string) => void process.stderr.write(line)
  const json = (level: string) => (message: string) =>
    write(`${JSON.stringify({ time: new Date(systemEnv().now).toISOString(), level, message })}\n`)
  const text = (prefix: string) => (message: string) => write(`${prefix}${message}\n`)
  return as === 'json'
    ? { info: json('info'), warn: json('warn'), error: json('error') }
    : { info: text(''), warn: text('warning: '), error: text('') }
}
