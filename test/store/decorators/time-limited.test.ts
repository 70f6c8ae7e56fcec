import { expect, test } from 'vitest'
import { timeLimited } from '../../../src/store/decorators/time-limited.ts'
import { memoryStore } from '../../../src/store/index.ts'

test('a store whose read answers without reading is reported as corrupt', async () => {
  // Of another process: without the mark of a store of this one.
  const { head, commit, changes, import: load, close } = memoryStore()
  const answersAtOnce = { head, commit, changes, import: load, close, read: async () => undefined as never }
  const { store } = timeLimited(answersAtOnce)
  await expect(store.read(async (view) => view.get(['a']))).rejects.toMatchObject({
    code: 'corrupt',
    message: 'the store answered read() with nothing read: is it an adapter that passes storeConformance?',
  })
})
