import { systemEnv } from '../../kernel/system-env.ts'

/** Takes one line, or the text of several, that operators are to read. */
export type Log = (text: string) => void

/** Writes what operators read to standard error: lines of text, or one JSON object a line for programs that collect logs. */
export const logTo = (write: (line: string) => void, as: 'text' | 'json'): Log =>
  as === 'text'
    ? (text) => write(`${text}\n`)
    : (text) =>
        write(
          `${JSON.stringify({ time: new Date(systemEnv().now).toISOString(), level: levelOf(text), message: text })}\n`,
        )

/** Derives the level of a message from its words. */
const levelOf = (text: string): 'info' | 'warn' | 'error' => {
  if (/^warning\b/.test(text)) return 'warn'
  return /\b(?:unexpected error|could not)\b/.test(text) ? 'error' : 'info'
}
