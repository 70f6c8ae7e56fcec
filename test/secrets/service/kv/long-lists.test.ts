import { expect, it } from 'vitest'
import { unwrap } from '../../../../src/kernel/index.ts'
import { client } from '../client.ts'

it('a detailed list lets others continue after every few hundred names', async () => {
  const { service, ask } = await client()
  const kv = service.kv()
  const count = 4000
  for (let at = 0; at < count; at += 200)
    await Promise.all(
      Array.from({ length: 200 }, async (_, more) => unwrap(await kv.write(`n${at + more}`, {}))),
    )
  let turns = 0
  let isListing = true
  const beat = (): void => {
    turns += 1
    if (isListing) setImmediate(beat)
  }
  setImmediate(beat)
  const { body } = await ask('LIST', '/v1/secret/detailed-metadata')
  isListing = false
  expect(Object.keys(body.data.key_info)).toEqual(body.data.keys)
  expect(body.data.keys).toHaveLength(count)
  expect(body.data.key_info.n0).toMatchObject({ current_version: 1 })
  expect(turns).toBeGreaterThanOrEqual(count / 256)
})
