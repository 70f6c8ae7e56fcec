import { expect } from 'vitest'
import { nodeCrypto } from '../../../src/crypto/index.ts'
import { seededRandom } from '../../../src/testing/index.ts'
import type { AskingAsDocumented } from '../documented.ts'

/** A request `GET /path`, the status of its answer, its body and its headers. */
export type Asked = readonly [
  line: string,
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
]

/**
 * Asks one thing after the other; each answer has its status, and is as the document says. Returns the body of the last
 * one.
 */
export async function tour(ask: AskingAsDocumented, questions: readonly Asked[]) {
  // biome-ignore lint/suspicious/noExplicitAny: a tour reads what it asks next
  let last: any
  for (const [line, status, body, headers] of questions) {
    const answer = await ask(line, body, headers)
    expect([line, answer.status, answer.status === status ? '' : answer.body]).toEqual([line, status, ''])
    last = answer.body
  }
  return last
}

/** The requests on one property of an object: written, read, deleted. */
export const writtenReadDeleted = (path: string, body: object): readonly Asked[] => [
  [`POST ${path}`, 204, body],
  [`GET ${path}`, 200],
  [`DELETE ${path}`, 204],
]

/** Cryptography that draws the same bytes in each run, so that recorded lines stay the same. */
export const repeatable = () => {
  const next = seededRandom(1)
  return nodeCrypto({
    scryptLogN: 4,
    randomBytes: (length) => Uint8Array.from({ length }, () => Math.floor(next() * 256)),
  })
}
