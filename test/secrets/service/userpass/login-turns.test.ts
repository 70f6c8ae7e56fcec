import { expect, it } from 'vitest'
import { nodeCrypto } from '../../../../src/crypto/index.ts'
import { client } from '../client.ts'

it('a name that logged in before does not wait for guesses at other names from its address', async () => {
  const checked: string[] = []
  const crypto = nodeCrypto({ scryptLogN: 4 })
  const { service } = await client({
    crypto: {
      ...crypto,
      verifyPassword: (password, hash) => {
        checked.push(password)
        return crypto.verifyPassword(password, hash)
      },
    },
  })
  await service.mounts.enable({ path: 'auth/userpass/', type: 'userpass' })
  const userpass = service.userpass()
  await userpass.writeUser('ada', { password: 'correct horse' })
  await userpass.writeUser('bob', { password: 'battery staple' })
  const login = (username: string, password: string) =>
    userpass.login({ username, password, address: '10.0.0.1' })
  expect((await login('ada', 'correct horse')).ok).toBe(true)

  checked.length = 0
  const guesses = Array.from({ length: 20 }, (_, at) => login(`guess-${at}`, 'wrong'))
  const [bob, ada] = await Promise.all([login('bob', 'battery staple'), login('ada', 'correct horse')])
  expect((await Promise.all(guesses)).every(({ ok }) => !ok)).toBe(true)
  expect([bob.ok, ada.ok]).toEqual([true, true])
  expect(checked.indexOf('correct horse')).toBeLessThan(6)
  expect(checked.indexOf('battery staple')).toBe(21)
  await service.close()
})
