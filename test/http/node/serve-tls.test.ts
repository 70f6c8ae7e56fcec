import { connect as connectTls } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { type FetchHandler, serve } from '../../../src/http/node/index.ts'
import { needing, openssl } from '../../programs.ts'
import { selfSigned } from '../../self-signed.ts'

const echo: FetchHandler = (request) =>
  new Response(`${request.method} ${new URL(request.url).pathname}<end>`)

describe('LIST', () => {
  it(...needing('is the method of a request over TLS', openssl), async () => {
    const tls = selfSigned()
    const listening = await serve({ fetch: echo, tls })
    expect(listening.url).toBe(`https://127.0.0.1:${listening.port}`)
    const text = await new Promise<string>((resolve) => {
      const socket = connectTls({ port: listening.port, host: '127.0.0.1', rejectUnauthorized: false })
      socket.write('LIST /tls HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      let got = ''
      socket.on('data', (chunk) => (got += chunk.toString('latin1')))
      socket.on('close', () => resolve(got))
    })
    expect(text).toContain('LIST /tls')
    await listening.close({ drainMs: 100 })
  })
})

describe('serve', () => {
  it(...needing('explains a certificate or key that it cannot use, and shows neither', openssl), async () => {
    const [one, other] = [selfSigned(), selfSigned()]
    const broken = one.key.replace(/\n[A-Za-z0-9+/=]{60,}\n/, '\nnot-base64\n')
    for (const [tls, says] of [
      [
        { cert: './cert.pem', key: one.key },
        /^tls\.cert is not PEM: pass the text of the file.*BEGIN CERTIFICATE/,
      ],
      [
        { cert: one.cert, key: one.cert },
        /^tls\.key is not PEM: pass the text of the file.*BEGIN PRIVATE KEY/,
      ],
      [{ cert: one.cert, key: broken }, /^tls\.key cannot be read: its PEM is damaged/],
      [{ cert: one.cert, key: other.key }, /^tls\.cert and tls\.key do not belong together/],
    ] as const) {
      const error = await serve({ fetch: echo, tls }).catch((thrown: Error) => thrown)
      expect(error).toBeInstanceOf(Error)
      expect((error as Error).message).toMatch(says)
      expect((error as Error).message).not.toContain(one.key.split('\n')[1])
    }
  })
})
