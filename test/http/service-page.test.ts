import { createHash } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createCatalog } from '../../src/catalog/index.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { mount } from '../../src/http/index.ts'
import { createRegistry } from '../../src/registry/index.ts'
import { createScheduler } from '../../src/scheduler/index.ts'
import { createSecrets, type SecretsOptions } from '../../src/secrets/index.ts'
import { ask } from '../client.ts'

const consoleUrl = 'https://console.example.com/start'
const services = [
  ['secrets', createSecrets({ consoleUrl }), 'Secrets service', '/v1/', [307, '']],
  ['scheduler', createScheduler({ consoleUrl }), 'Scheduler', '/v1/', [404, '']],
  [
    'gateway',
    createGateway({ consoleUrl }),
    'Gateway',
    '/health',
    [404, '{"kind":"NotFound","message":"no such path: /"}'],
  ],
  [
    'catalog',
    createCatalog({ consoleUrl }),
    'Box catalog',
    '/api/v2/',
    [404, '{"errors":["Resource not found!"],"success":false}'],
  ],
  [
    'registry',
    createRegistry({ consoleUrl }),
    'Module registry',
    '/v1/modules/',
    [404, '{"errors":["Not Found"]}'],
  ],
] as const

afterAll(async () => {
  for (const [, service] of services) await service.close()
})

/** What browsers send. */
const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe.each(services)('the root of %s', (_name, service, title, api, [status, text]) => {
  it('shows a browser what it is, where its API is, and the console it was told of', async () => {
    const { status, headers, text } = await ask(service, 'GET /', { headers: { accept } })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('vary')?.split(/, */)[0]).toBe('Accept')
    expect(text).toContain(`<h1>${title}</h1>`)
    expect(text).toContain(`<code>${api}</code>`)
    expect(text).toContain(`<a href="${consoleUrl}">Console</a>`)
  })

  it('runs nothing: no script, and a policy that allows its own style alone', async () => {
    const { headers, text } = await ask(service, 'GET /', { headers: { accept } })
    expect(text).not.toMatch(/<script|\son\w+=|style="/i)
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  it('links to its OpenAPI document', async () => {
    const { text } = await ask(service, 'GET /', { headers: { accept } })
    const [, path = ''] = /<a href="([^"]*)">OpenAPI document<\/a>/.exec(text) ?? []
    const { status, headers, body } = await ask(service, `GET ${path}`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(body).toEqual(JSON.parse(JSON.stringify(service.openapi())))
  })

  it.each([undefined, '*/*', 'application/json', 'text/html;q=0, */*'])(
    'answers a program that accepts %s as it did before there was a page',
    async (accept) => {
      const answer = await ask(service, 'GET /', { headers: accept === undefined ? {} : { accept } })
      expect([answer.status, answer.text]).toEqual([status, text])
      expect(answer.headers.get('content-security-policy')).toBeNull()
    },
  )

  it('answers HEAD without a body, and no other method', async () => {
    const head = await ask(service, 'HEAD /', { headers: { accept } })
    expect([head.status, head.text]).toEqual([200, ''])
    const post = await ask(service, 'POST /', { headers: { accept } })
    expect(post.headers.get('content-type') ?? '').not.toContain('html')
  })

  it('links below the place where it is mounted', async () => {
    const mounted = { fetch: mount({ '/place': service.fetch }) }
    const { text } = await ask(mounted, 'GET /place/', { headers: { accept } })
    expect(text).toContain(`<code>/place${api}</code>`)
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, path]) => path ?? '')
    expect(links).toContain('/place/openapi.json')
    for (const link of links)
      expect([link, (await ask(mounted, `GET ${link}`)).status === 404]).toEqual([link, false])
    expect((await ask(mounted, 'GET /place/openapi.json')).body).toMatchObject({
      servers: [{ url: '/place' }],
    })
  })
})

describe('the address of a console', () => {
  it('may be known only later', async () => {
    let url: string | undefined
    const gateway = createGateway({ consoleUrl: () => url })
    expect((await ask(gateway, 'GET /', { headers: { accept } })).text).not.toContain('Console')
    url = 'http://127.0.0.1:4600'
    expect((await ask(gateway, 'GET /', { headers: { accept } })).text).toContain(
      '<a href="http://127.0.0.1:4600">Console</a>',
    )
    await gateway.close()
  })

  it.each(['console.example.com', 'javascript:alert(1)', ''])('is refused when it is %j', (consoleUrl) => {
    expect(() => createGateway({ consoleUrl })).toThrow(
      `consoleUrl is ${JSON.stringify(consoleUrl)}: use a scheme`,
    )
  })

  it('cannot leave its attribute', async () => {
    const options: SecretsOptions = { consoleUrl: () => 'http://x/"><script>alert(1)</script>' }
    const secrets = createSecrets(options)
    const { text } = await ask(secrets, 'GET /', { headers: { accept } })
    expect(text).not.toContain('<script')
    await secrets.close()
  })
})
