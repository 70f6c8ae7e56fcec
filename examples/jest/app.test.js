// A server for the tests of a file, reset before each; it follows fake timers.
const { startSecrets } = require('plinth/testing')

let server
beforeAll(async () => {
  server = await startSecrets()
})
beforeEach(() => server.reset())
afterAll(() => server.close())

test('is refused without a token', async () => {
  expect((await fetch(`${server.url}/v1/secret/data/app`)).status).toBe(403)
})

test('a lease ends while the timers of jest are fake', async () => {
  jest.useFakeTimers({ advanceTimers: true })
  const fork = await server.fork()
  const { token } = (await fork.service.tokens.create({ policies: ['default'], ttlSeconds: 60 })).value
  const status = async () =>
    (await fetch(`${fork.url}/v1/auth/token/lookup-self`, { headers: { 'X-Vault-Token': token } })).status
  expect(await status()).toBe(200)
  jest.setSystemTime(Date.now() + 120_000)
  expect(await status()).toBe(403)
  jest.useRealTimers()
  await fork.close()
})
