import { isAscii } from 'node:buffer'
import { METHODS } from 'node:http'

/**
 * Follows HTTP/1.1 request framing and rewrites the parts of a request line that Node's parser refuses: an unknown
 * method becomes `GET`, and bytes beyond ASCII, which most clients escape but some (curl among them) send raw, become
 * `%C3%A9`.
 */
export interface RequestFraming {
  /** Takes bytes of the connection and returns the bytes for the parser; a few may be held back. */
  readonly write: (chunk: Buffer) => Buffer
  /** Returns the bytes held back, when the connection ends. */
  readonly flush: () => Buffer
}

const knownMethods: ReadonlySet<string> = new Set(METHODS)

/** The maximum length of a method. */
const longestMethod = 24

const space = 0x20
const replacement = Buffer.from('GET')
const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const empty = Buffer.alloc(0)

/** The parser refuses a head of this length anyway; beyond it the connection is not followed. */
const maxHead = 1024 * 1024

type State =
  | { readonly at: 'start' }
  | { readonly at: 'line' }
  | { readonly at: 'head' }
  | { readonly at: 'body'; left: number }
  | { readonly at: 'chunk-size' }
  | { readonly at: 'chunk'; left: number }
  | { readonly at: 'trailer' }
  | { readonly at: 'lost' }

/**
 * Creates the framing of one connection.
 *
 * @param onRequest - called once for each request, in order, when its method is seen; with the method if the parser
 * sees `GET` instead
 * @param upgrades - whether the server accepts upgrades; after one the bytes are of another protocol, as after `CONNECT`
 */
export function requestFraming(
  onRequest: (method: string | undefined) => void,
  upgrades: () => boolean,
): RequestFraming {
  let state: State = { at: 'start' }
  /** Bytes of the current head, size line or trailer that were already passed on. */
  let seen: Buffer = empty
  /** Bytes at the start of a request that may be the beginning of a method. */
  let held: Buffer = empty

  const step = (input: Buffer, out: Buffer[]): Buffer => {
    switch (state.at) {
      case 'lost':
        out.push(input)
        return empty
      case 'start':
        return begin(input, out)
      case 'line': {
        const end = input.indexOf(lineEnd[0] ?? 0)
        const line = end < 0 ? input : input.subarray(0, end)
        if (end >= 0) state = { at: 'head' }
        // As a part of the head: bytes that are passed on in one piece are not copied.
        if (end >= 0 && isAscii(line)) return input
        out.push(escaped(line))
        return input.subarray(line.byteLength)
      }
      case 'head':
        return until(headEnd, input, out, (head, more) => {
          state = afterHead(head, more || upgrades())
        })
      case 'trailer':
        return until(lineEnd, input, out, (line) => {
          if (line.byteLength === lineEnd.byteLength) state = { at: 'start' }
        })
      case 'chunk-size':
        return until(lineEnd, input, out, (line) => {
          const size = Number.parseInt(line.toString('latin1'), 16)
          if (!Number.isSafeInteger(size)) state = { at: 'lost' }
          else state = size === 0 ? { at: 'trailer' } : { at: 'chunk', left: size + lineEnd.byteLength }
        })
      case 'body':
      case 'chunk': {
        const taken = input.subarray(0, state.left)
        out.push(taken)
        state.left -= taken.byteLength
        if (state.left === 0) state = state.at === 'body' ? { at: 'start' } : { at: 'chunk-size' }
        return input.subarray(taken.byteLength)
      }
    }
  }

  /** The first bytes of a request; empty lines before it are allowed (RFC 9112, 2.2). */
  const begin = (input: Buffer, out: Buffer[]): Buffer => {
    let skip = 0
    while (held.byteLength === 0 && (input[skip] === 0x0d || input[skip] === 0x0a)) skip += 1
    if (skip > 0) {
      out.push(input.subarray(0, skip))
      return input.subarray(skip)
    }
    const bytes = held.byteLength > 0 ? Buffer.concat([held, input]) : input
    held = empty
    const end = bytes.subarray(0, longestMethod + 1).indexOf(space)
    const method = bytes.toString('latin1', 0, end < 0 ? longestMethod : end)
    const isMethod = /^[A-Z][A-Z-]*$/.test(method)
    if (end < 0 && isMethod && bytes.byteLength <= longestMethod) {
      held = Buffer.from(bytes)
      return empty
    }
    state = { at: 'line' }
    if (end < 0 || !isMethod || knownMethods.has(method)) {
      onRequest(undefined)
      return bytes
    }
    onRequest(method)
    out.push(replacement)
    return bytes.subarray(end)
  }

  /**
   * Passes bytes on up to and including `mark`, then calls `done` with everything up to it, and whether there are more.
   */
  const until = (
    mark: Buffer,
    input: Buffer,
    out: Buffer[],
    done: (whole: Buffer, more: boolean) => void,
  ): Buffer => {
    const whole = seen.byteLength > 0 ? Buffer.concat([seen, input]) : input
    const from = Math.max(0, seen.byteLength - mark.byteLength + 1)
    const found = whole.indexOf(mark, from)
    if (found < 0) {
      out.push(input)
      seen = Buffer.from(whole)
      if (seen.byteLength > maxHead) state = { at: 'lost' }
      return empty
    }
    const end = found + mark.byteLength
    const taken = end - seen.byteLength
    out.push(input.subarray(0, taken))
    seen = empty
    done(whole.subarray(0, end), end < whole.byteLength)
    return input.subarray(taken)
  }

  return {
    write: (chunk) => {
      const out: Buffer[] = []
      for (let rest: Buffer = chunk; rest.byteLength > 0; ) rest = step(rest, out)
      const [only] = out
      return out.length === 1 && only !== undefined ? only : Buffer.concat(out)
    },
    flush: () => {
      const rest = held
      held = empty
      return rest
    },
  }
}

const escaped = (line: Buffer): Buffer =>
  Buffer.from(
    line
      .toString('latin1')
      .replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`),
  )

/** After a head: chunks, a body of known length, or the next request. */
function afterHead(head: Buffer, ends: boolean): State {
  const text = head.toString('latin1')
  if (text.startsWith('CONNECT ')) return { at: 'lost' }
  // Where an upgrade offer is declined, the parser still drops data that arrived in the same chunk.
  if (ends && /\r\nupgrade[ \t]*:/i.test(text) && /\r\nconnection[ \t]*:[^\r]*upgrade/i.test(text))
    return { at: 'lost' }
  if (/\r\ntransfer-encoding[ \t]*:/i.test(text))
    return /\r\ntransfer-encoding[ \t]*:[^\r]*chunked/i.test(text) ? { at: 'chunk-size' } : { at: 'lost' }
  const length = /\r\ncontent-length[ \t]*:[ \t]*(\d+)/i.exec(text)
  const left = length ? Number(length[1]) : 0
  if (!Number.isSafeInteger(left)) return { at: 'lost' }
  return left === 0 ? { at: 'start' } : { at: 'body', left }
}
