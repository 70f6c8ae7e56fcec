import { expect, it } from 'vitest'
import { isLiving, livingOf, tokenRecords } from '../../../../src/secrets/service/tokens/records.ts'
import { rootToken, type Token } from '../../../../src/secrets/tokens/index.ts'
import { memoryStore, type Snapshot } from '../../../../src/store/index.ts'

const born = { now: 0, newId: () => 'life' }
const made = (number: number, fields: Partial<Token> = {}): Token => ({
  ...rootToken({ digest: `d${number}`, accessor: `a${number}` }, born),
  parent: number === 0 ? null : { digest: `d${number - 1}`, incarnation: 'life' },
  expiresAt: 1000,
  ...fields,
})
const kept = async (tokens: readonly Token[]) => {
  const store = memoryStore()
  for (const { entity: _none, ...token } of tokens) {
    const put = [{ key: tokenRecords.keyOf(token.digest), value: { ...token, login: null } }]
    await store.commit([{ id: token.digest, put }])
  }
  let reads = 0
  const now = store.snapshot()
  const counting: Snapshot = {
    ...now,
    get: (key) => {
      reads += 1
      return now.get(key)
    },
  }
  return { now: counting, reads: () => reads }
}

it('a list of tokens walks each chain of parents once, at any length', async () => {
  const tokens = Array.from({ length: 500 }, (_, number) => made(number))
  const { now, reads } = await kept(tokens)
  expect(tokens.filter(livingOf(now, 1))).toHaveLength(500)
  expect(reads()).toBeLessThan(1000)
})

it('a list of tokens has those that are alive one by one: not the spent, and what comes of the expired', async () => {
  const tokens = Array.from({ length: 40 }, (_, number) =>
    made(number, number === 7 ? { numUses: -1 } : number === 20 ? { expiresAt: 500 } : {}),
  )
  const { now } = await kept(tokens)
  for (const order of [tokens, tokens.toReversed()]) {
    const living = order.filter(livingOf(now, 600))
    expect(living).toEqual(order.filter((token) => isLiving(now, token, 600)))
    expect(living).toHaveLength(19)
  }
})
