import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { fromBase64, fromHex } from '../../crypto/index.ts'
import { type Body, positionOf, toPlain } from '../../hcl/index.ts'
import { firstFault, strict } from '../../operation/known-fields.ts'
import type { StaticSeal } from '../../secrets/index.ts'
import { UserError } from '../user-error.ts'

const Key = z.string().min(1)

/** The settings of an unattended unseal. */
export const SealSettings = strict(
  {
    current_key_id: Key.describe('A name for the current key'),
    current_key: Key.describe('The key: file://PATH, env://NAME, or 32 bytes in base64 or hexadecimal'),
    previous_key_id: Key.optional().describe('The name of the key before a rotation'),
    previous_key: Key.optional().describe('The key before a rotation'),
  },
  'setting',
)

/** Extracts the block `seal "static" { … }` from a configuration. */
export async function takeSeal(
  body: Body,
  path: string,
): Promise<{ readonly rest: Body; readonly staticSeal: StaticSeal | undefined }> {
  const blocks = body.entries.filter(({ keys }) => keys[0]?.text === 'seal')
  const rest: Body = { ...body, entries: body.entries.filter((entry) => !blocks.includes(entry)) }
  const [block, second] = blocks
  if (block === undefined) return { rest, staticSeal: undefined }
  const line = (second ?? block).at.line
  const wrong = (message: string, at = line) => new UserError(`${path}, line ${at}: seal: ${message}`)
  if (second) throw wrong('there is one already')
  // In JSON, the label is one more level.
  const [only] = block.value.kind === 'object' ? block.value.entries : []
  const [label, value] =
    block.keys.length === 2 ? [block.keys[1]?.text, block.value] : [only?.keys[0]?.text, only?.value]
  if (label !== 'static' || value?.kind !== 'object')
    throw wrong('the only type is "static": seal "static" { current_key_id = "…", current_key = "file://…" }')
  const read = SealSettings.safeParse(toPlain(value))
  if (!read.success) {
    const { keys, path: key, message } = firstFault(read.error)
    throw wrong(`${key}: ${message}`, positionOf(value, keys).line)
  }
  const { current_key_id, current_key, previous_key_id, previous_key } = read.data
  if ((previous_key_id === undefined) !== (previous_key === undefined))
    throw wrong('previous_key_id and previous_key are set together')
  if (current_key_id === previous_key_id) throw wrong('previous_key_id is the current_key_id')
  const keyOf = (name: string, from: string) =>
    keyFrom(from).catch((error: unknown) => {
      throw wrong(`${name}: ${error instanceof Error ? error.message : 'cannot be read'}`)
    })
  return {
    rest,
    staticSeal: {
      currentKeyId: current_key_id,
      currentKey: await keyOf('current_key', current_key),
      ...(previous_key_id !== undefined &&
        previous_key !== undefined && {
          previousKeyId: previous_key_id,
          previousKey: await keyOf('previous_key', previous_key),
        }),
    },
  }
}

/** Reads a key; no error repeats it. */
async function keyFrom(from: string): Promise<Uint8Array> {
  const file = /^file:\/\/(.+)$/s.exec(from)?.[1]
  const variable = /^env:\/\/(.+)$/s.exec(from)?.[1]
  let bytes: Uint8Array
  if (file !== undefined) bytes = await readFile(file)
  else {
    const text = variable === undefined ? from : process.env[variable]
    if (text === undefined) throw new Error(`the variable ${variable} is not set`)
    bytes = new TextEncoder().encode(text)
  }
  if (bytes.length === 32) return new Uint8Array(bytes)
  const text = new TextDecoder().decode(bytes).trim()
  const key = /^[\da-f]{64}$/i.test(text) ? fromHex(text) : fromBase64(text)
  if (key?.length !== 32)
    throw new Error('expected a key of 32 bytes, as they are, in base64 or in hexadecimal')
  return key
}
